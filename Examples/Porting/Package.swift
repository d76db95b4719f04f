// swift-tools-version: 6.2
// The recipe "Combine" of the page "Porting an app": on Linux OpenCombine takes Combine's place. A separate package, so
// that no other build compiles OpenCombine.

import PackageDescription

let package = Package(
    name: "Porting",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [
        // In a package of your own: .package(path: "../OpenCoreBluetooth")
        .package(name: "OpenCoreBluetooth", path: "../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    ],
    targets: [
        .target(
            name: "Publishers",
            dependencies: [
                .product(name: "OpenCombineShim", package: "OpenCombine"),
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth", condition: .when(platforms: [.linux])),
                .product(
                    name: "CoreBluetoothObservation",
                    package: "OpenCoreBluetooth",
                    condition: .when(platforms: [.linux])
                ),
            ]
        ),
        .testTarget(
            name: "PublishersTests",
            dependencies: [
                "Publishers",
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
