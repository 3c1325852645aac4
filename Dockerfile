# One image for the server and the local chains; docker-compose.yml names the command of each.
FROM node:24-bookworm-slim
ENV NX_DAEMON=false
WORKDIR /app
COPY --chown=node:node . .
RUN chown node:node /app
USER node
RUN npm ci && npx nx run-many -t build && rm -rf .nx
ENV NODE_ENV=production
CMD ["node", "apps/api/dist/main.js"]
