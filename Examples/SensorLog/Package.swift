// swift-tools-version: 6.2
// A logger of sensors for a small board, with a sensor to try it. A separate package, so that a user's build of
// OpenCoreBluetooth never compiles it.
//
// The Bluetooth code is the same on Linux and on Apple's platforms: only on Linux does a target get OpenCoreBluetooth's
// module CoreBluetooth; elsewhere `import CoreBluetooth` is the system's framework.

import PackageDescription

let coreBluetooth = Target.Dependency.product(
    name: "CoreBluetooth",
    package: "OpenCoreBluetooth",
    condition: .when(platforms: [.linux])
)

let package = Package(
    name: "SensorLog",
    platforms: [.macOS(.v14)],
    products: [
        .executable(name: "sensor", targets: ["SensorCommand"]),
        .executable(name: "sensorlog", targets: ["SensorLogCommand"]),
    ],
    dependencies: [
        // In a package of your own: .package(path: "../OpenCoreBluetooth")
        .package(name: "OpenCoreBluetooth", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
    ],
    targets: [
        // The format of the messages between sensor and logger, without Bluetooth.
        .target(name: "SensorValues"),
        // The sensor: numbers its measurements, and keeps them until the logger has stored them.
        .target(name: "Sensor", dependencies: ["SensorValues", coreBluetooth]),
        // The logger: finds sensors, stores what they measure, shows it on a page.
        .target(
            name: "SensorLog",
            dependencies: [
                "SensorValues",
                coreBluetooth,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "FlyingFox", package: "FlyingFox"),
            ],
            resources: [.embedInCode("Page/Files")]
        ),
        .executableTarget(
            name: "SensorCommand",
            dependencies: ["Sensor", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),
        .executableTarget(
            name: "SensorLogCommand",
            dependencies: ["SensorLog", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),
        .testTarget(
            name: "SensorLogTests",
            dependencies: [
                "Sensor",
                "SensorValues",
                "SensorLog",
                "SensorCommand",
                "SensorLogCommand",
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(
                    name: "CoreBluetoothTesting",
                    package: "OpenCoreBluetooth",
                    condition: .when(platforms: [.linux])
                ),
            ]
        ),
    ],
    // Ordinary client code, written before strict concurrency, as most is.
    swiftLanguageModes: [.v5]
)
