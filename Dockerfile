# One image for every program: docker-compose.yml says which one a container runs.
# deploy/pin-images.sh pins it to a digest.
ARG NODE_IMAGE=node:22-slim
FROM ${NODE_IMAGE} AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# Packages bring what they need ready-made, so none of their install scripts has to run.
FROM base AS build
RUN npm ci --ignore-scripts
COPY build.mjs tsconfig.json tsconfig.build.json standalone.ts ./
COPY shared ./shared
COPY api ./api
COPY workers ./workers
RUN npm run -s build

FROM base AS dependencies
RUN npm ci --ignore-scripts --omit=dev

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY deploy ./deploy
USER node
EXPOSE 3000
CMD ["node", "dist/api/main.js"]
