# docker-compose.yml names the command of each service. The target "devnet" also has the local chains and bundlers.
FROM node:24-bookworm-slim AS devnet
ENV NX_DAEMON=false
WORKDIR /app
COPY --chown=node:node . .
RUN chown node:node /app
USER node
RUN npm ci && npx nx run-many -t build && rm -rf .nx
CMD ["node", "tools/devnet/dist/main.js", "up"]

# Everything that runs in production: dependencies, manifests, compiled code and deployment files.
FROM devnet AS production
RUN npm ci --omit=dev --ignore-scripts \
      -w @yield-vault/api -w @yield-vault/worker -w @yield-vault/fork-service -w @yield-vault/mcp -w @yield-vault/operator \
 && mkdir /tmp/app \
 && cp -a --parents package.json config node_modules apps/*/package.json apps/*/bin apps/*/dist libs/*/package.json libs/*/bin libs/*/dist \
      $(find apps libs -maxdepth 2 -name node_modules) /tmp/app

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOME=/tmp
WORKDIR /app
COPY --from=production /tmp/app .
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/api/dist/main.js"]
