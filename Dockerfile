# One image for every program: docker-compose.yml says which one a container runs.
# deploy/pin-images.sh pins it to a digest.
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json ./clients/typescript/

# Packages bring what they need ready-made, so none of their install scripts has to run.
FROM base AS build
RUN npm ci --ignore-scripts
COPY build.mjs tsconfig.json tsconfig.build.json lendline.ts standalone.ts embedded.ts ./
COPY shared ./shared
COPY api ./api
COPY workers ./workers
COPY clients ./clients
RUN npm run -s build

FROM base AS dependencies
COPY deploy/prune-modules.mjs ./deploy/
RUN npm ci --ignore-scripts --omit=dev && node deploy/prune-modules.mjs node_modules

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY deploy ./deploy
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "deploy/health-check.mjs"]
CMD ["node", "dist/api/main.js"]
