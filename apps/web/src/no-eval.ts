import { z } from 'zod';

// zod probes for eval, which the content security policy reports. Import this before the agent client.
z.config({ jitless: true });
