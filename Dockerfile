# docker-compose.yml and config/production name the command of each service. Targets:
# devnet (local chains and bundlers), production, and fork-service (production with Anvil).
ARG NODE=node:24-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7
FROM ${NODE} AS devnet
ENV NX_DAEMON=false
WORKDIR /app
COPY --chown=node:node . .
RUN chown node:node /app
USER node
RUN npm ci && npx nx run-many -t build && rm -rf .nx
CMD ["node", "tools/devnet/dist/main.js", "up"]

# Everything that runs in production: dependencies, manifests, compiled code and deployment files.
FROM devnet AS build
RUN npm ci --omit=dev --omit=optional --ignore-scripts \
      -w @yield-vault/api -w @yield-vault/worker -w @yield-vault/fork-service -w @yield-vault/mcp -w @yield-vault/operator \
 && mkdir /tmp/app \
 && cp -a --parents package.json config node_modules apps/*/package.json apps/*/bin apps/*/dist libs/*/package.json libs/*/bin libs/*/dist \
      $(find apps libs -maxdepth 2 -name node_modules) /tmp/app
# Only compilers and tests read these. The site serves its Markdown.
RUN cd /tmp/app && rm -rf config/production libs/testing libs/*/dist/testing node_modules/@yield-vault/testing node_modules/typescript node_modules/.bin/ts* \
 && find . -type f -not -path './apps/site/*' -regextype egrep -regex '.*\.(map|[cm]?tsx?|tsbuildinfo|md)' -delete

FROM ${NODE} AS production
ENV NODE_ENV=production HOME=/tmp
WORKDIR /app
COPY --from=build /tmp/app .
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/api/dist/main.js"]

FROM production AS fork-service
COPY --from=devnet /app/node_modules/@foundry-rs/anvil-linux-amd64 node_modules/@foundry-rs/anvil-linux-amd64
EXPOSE 3100
CMD ["node", "apps/fork-service/dist/main.js"]
