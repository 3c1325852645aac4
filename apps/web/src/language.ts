// uPlot formats numbers in the language of the browser while it loads, and throws where that is no valid tag, for
// example "en-US@posix". The page is in English. Import this before uPlot.
Object.defineProperty(navigator, 'language', { value: 'en' });
