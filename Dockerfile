# Three images:
#     docker build --target development -t development .    Swift and what the checks need: the dev container
#     docker build --target packages --output packages .    the Debian package and the tarball, as files
#     docker build -t opencorebluetooth .                   the programs on Debian, without Swift
# The programs' image is used as in
#     docker run --rm opencorebluetooth air --listen tcp:0.0.0.0:7000
#     docker run --rm --net host --cap-add NET_ADMIN --cap-add NET_RAW opencorebluetooth scan --adapter hci0

FROM swift:6.3-bookworm AS development
RUN apt-get update \
    && apt-get install -y --no-install-recommends dpkg-dev fish git lintian man-db python3 python3-venv shellcheck \
        systemd tshark xz-utils zsh \
    && rm -rf /var/lib/apt/lists/*

FROM development AS build
COPY . /source
WORKDIR /source
RUN git config --global --add safe.directory /source \
    && bash Packaging/build /packages && bash Packaging/check /packages

FROM scratch AS packages
COPY --from=build /packages /

FROM debian:bookworm-slim
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    apt-get update \
    && apt-get install -y --no-install-recommends /packages/*.deb \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o opencorebluetooth -g opencorebluetooth -m 700 /var/lib/corebluetooth /run/corebluetooth
USER opencorebluetooth
ENV XDG_STATE_HOME=/var/lib/corebluetooth XDG_RUNTIME_DIR=/run/corebluetooth
VOLUME /var/lib/corebluetooth
ENTRYPOINT ["/usr/bin/corebluetooth"]
CMD ["--help"]
