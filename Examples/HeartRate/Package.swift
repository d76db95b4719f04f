// swift-tools-version: 6.2
// One app for Linux and for Apple's platforms. Its sources import CoreBluetooth without any `#if`; this manifest
// decides which module that is: OpenCoreBluetooth's on Linux, elsewhere the system's framework. The condition keeps the
// Linux module out of every other build: nothing of the package OpenCoreBluetooth is compiled or linked there.

import PackageDescription

let package = Package(
    name: "HeartRate",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [.executable(name: "heartrate", targets: ["HeartRateCommand"])],
    dependencies: [
        // In a package of your own: .package(path: "../OpenCoreBluetooth")
        .package(name: "OpenCoreBluetooth", path: "../..")
    ],
    targets: [
        .target(
            name: "HeartRate",
            dependencies: [
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth", condition: .when(platforms: [.linux]))
            ]
        ),
        // New code, in Swift 6.
        .target(name: "HeartRateModel", dependencies: ["HeartRate"], swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(name: "HeartRateCommand", dependencies: ["HeartRate"]),
        .testTarget(
            name: "HeartRateTests",
            dependencies: [
                "HeartRate", "HeartRateModel",
                .product(
                    name: "CoreBluetoothTesting",
                    package: "OpenCoreBluetooth",
                    condition: .when(platforms: [.linux])
                ),
                .product(
                    name: "CoreBluetoothProcessTime",
                    package: "OpenCoreBluetooth",
                    condition: .when(platforms: [.linux])
                ),
            ]
        ),
    ],
    // The rest is ordinary client code, written before strict concurrency, as most is.
    swiftLanguageModes: [.v5]
)
