// Without the fonts of the theme: the site looks as the page at /.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
