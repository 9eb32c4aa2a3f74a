# A static binary in an image that has nothing else: no shell, no root. It needs BuildKit, as all current versions of
# Docker and Podman have it. For several platforms: docker buildx build --platform linux/amd64,linux/arm64 .

# The compiler runs on the machine's own platform and compiles for that of the image.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
ARG TARGETOS TARGETARCH
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOOS=$TARGETOS GOARCH=$TARGETARCH make build BINARY=/out/inkfeed && mkdir /out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/inkfeed /inkfeed
COPY --from=build --chown=65532:65532 /out/data /data
ENV INKFEED_ADDR=0.0.0.0:8080 INKFEED_DATA=/data
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/inkfeed", "healthcheck"]
ENTRYPOINT ["/inkfeed"]
