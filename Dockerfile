# A static binary in an image that has nothing else: no shell, no root.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags=-s -o /out/inkfeed . && mkdir /out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/inkfeed /inkfeed
COPY --from=build --chown=65532:65532 /out/data /data
ENV INKFEED_ADDR=0.0.0.0:8080 INKFEED_DATA=/data
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/inkfeed", "healthcheck"]
ENTRYPOINT ["/inkfeed"]
