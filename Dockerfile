# The worker: Debian slim, Node 24, not root, runtime dependencies only.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-fund --no-audit
COPY . .
RUN npm run build && npm prune --omit=dev --no-fund --no-audit \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 -type d ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build --chown=node:node /app/package.json ./
COPY --from=build --chown=node:node /app/node_modules ./node_modules
COPY --from=build --chown=node:node /app/migrations ./migrations
COPY --from=build --chown=node:node /app/dist ./dist
USER node
# Agents come from solidloop.config.js beside the worker; mount your own over it, or set SOLIDLOOP_CONFIG.
ENV SOLIDLOOP_CONFIG=/app/dist
STOPSIGNAL SIGTERM
CMD ["node", "--max-old-space-size=2048", "dist/worker.js"]
