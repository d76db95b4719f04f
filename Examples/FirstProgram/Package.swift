// swift-tools-version: 6.2
// The package of the page "Your first program".

import PackageDescription

let package = Package(
    name: "FirstProgram",
    dependencies: [
        // In a package of your own: .package(path: "../OpenCoreBluetooth")
        .package(name: "OpenCoreBluetooth", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "FirstProgram",
            dependencies: [
                .product(name: "CoreBluetooth", package: "OpenCoreBluetooth", condition: .when(platforms: [.linux]))
            ]
        )
    ]
)
