// swift-tools-version: 6.2
// The figures of OpenCoreBluetooth, and its programs for long runs. A separate package, so that a user's build never
// compiles it.

import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "OpenCoreBluetooth", path: ".."),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    ],
    targets: [
        // Shared by the programs.
        .target(
            name: "BenchmarkSupport",
            dependencies: [.product(name: "CoreBluetooth", package: "OpenCoreBluetooth")]
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth"),
                .product(name: "CoreBluetoothTesting", package: "OpenCoreBluetooth"),
                .product(name: "BluetoothAir", package: "OpenCoreBluetooth"),
                .product(name: "BluetoothHost", package: "OpenCoreBluetooth"),
                .product(name: "BluetoothHCI", package: "OpenCoreBluetooth"),
                .product(name: "BluetoothTypes", package: "OpenCoreBluetooth"),
                .product(name: "ITCB", package: "OpenCoreBluetooth"),
                // The cost of P-256 by itself.
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                // The cost of an event loop by itself.
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        // Streams between processes that are stopped and continued.
        .executableTarget(
            name: "Soak",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "BluetoothTypes", package: "OpenCoreBluetooth"),
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // Our programs under a flood, with output that nobody reads.
        .executableTarget(
            name: "Flood",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // The Magic 8-Ball on the whole screen, with balls that come and go.
        .executableTarget(
            name: "ScreenSoak",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "BluetoothTypes", package: "OpenCoreBluetooth"),
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth"),
                .product(name: "ITCB", package: "OpenCoreBluetooth"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // The mesh messenger of the tests, in virtual time; a separate program, since its clocks are a world's.
        .executableTarget(
            name: "Mesh",
            dependencies: [
                "BenchmarkSupport",
                "CKernelClock",
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth"),
                .product(name: "CoreBluetoothTesting", package: "OpenCoreBluetooth"),
                .product(name: "CoreBluetoothProcessTime", package: "OpenCoreBluetooth"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(name: "CKernelClock"),
        .target(name: "CMemory"),
        // Many operations in one process, with flat memory.
        .executableTarget(
            name: "Endurance",
            dependencies: [
                "BenchmarkSupport",
                "CMemory",
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth"),
                .product(name: "ITCB", package: "OpenCoreBluetooth"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
    ],
    // Ordinary client code, written before strict concurrency, as most is.
    swiftLanguageModes: [.v5]
)
