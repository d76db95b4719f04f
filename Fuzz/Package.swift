// swift-tools-version: 6.2
// Coverage-guided fuzzing of OpenCoreBluetooth. A separate package, so that a user's build never compiles it; built by
// `bash Fuzz/run`, which has the flags that it needs.

import PackageDescription

let package = Package(
    name: "Fuzz",
    dependencies: [
        .package(name: "OpenCoreBluetooth", path: ".."),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        .target(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer",
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth"),
                .product(name: "BlueEar", package: "OpenCoreBluetooth"),
                .product(name: "BluetoothAir", package: "OpenCoreBluetooth"),
                .product(name: "BluetoothHost", package: "OpenCoreBluetooth"),
                .product(name: "BluetoothHCI", package: "OpenCoreBluetooth"),
                .product(name: "BluetoothTypes", package: "OpenCoreBluetooth"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            // libFuzzer has a main of its own, which this linker lets ours replace.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]
        ),
    ],
    // The app under test is ordinary client code, written before strict concurrency, as most is.
    swiftLanguageModes: [.v5]
)
