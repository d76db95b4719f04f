// swift-tools-version: 6.2
// OpenCoreBluetooth: Apple's Core Bluetooth on Linux, from the radio up.
// A module imports only modules listed above it; see CONTRIBUTING.md.

import PackageDescription

let package = Package(
    name: "OpenCoreBluetooth",
    products: [
        .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
        .library(name: "CoreBluetoothTesting", targets: ["CoreBluetoothTesting"]),
        .library(name: "CoreBluetoothObservation", targets: ["CoreBluetoothObservation"]),
        .library(name: "CoreBluetoothProcessTime", targets: ["CoreBluetoothProcessTime"]),
        .library(name: "ITCB", targets: ["ITCB"]),
        .library(name: "BlueEar", targets: ["BlueEar"]),
        .library(name: "BluetoothAirService", targets: ["BluetoothAirService"]),
        .library(name: "BluetoothTransport", targets: ["BluetoothTransport"]),
        .library(name: "BluetoothAir", targets: ["BluetoothAir"]),
        .library(name: "BluetoothHost", targets: ["BluetoothHost"]),
        .library(name: "BluetoothHCI", targets: ["BluetoothHCI"]),
        .library(name: "BluetoothTypes", targets: ["BluetoothTypes"]),
        .executable(name: "eightball", targets: ["eightball"]),
        .executable(name: "blueear", targets: ["BlueEarCommand"]),
        .executable(name: "corebluetooth", targets: ["CoreBluetoothCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
    ],
    targets: [
        .target(
            name: "BluetoothTypes",
            dependencies: [.product(name: "NIOCore", package: "swift-nio")]
        ),
        // What the Bluetooth SIG's numbers stand for: tables, which the C compiler takes in as they are.
        .target(
            name: "CAssignedNumbers",
            exclude: [
                "LICENSE-bluetooth-numbers", "additions.txt", "appearances.txt", "companies.txt", "formats.txt", "make",
                "names.txt", "units.txt",
            ]
        ),
        .target(
            name: "AssignedNumbers",
            dependencies: ["BluetoothTypes", "CAssignedNumbers"]
        ),
        .target(
            name: "BluetoothHCI",
            dependencies: ["BluetoothTypes"]
        ),
        .target(
            name: "BluetoothHost",
            dependencies: [
                "BluetoothHCI",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "BluetoothAir",
            dependencies: [
                "BluetoothHCI",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .target(name: "CLinuxBluetooth"),
        .target(
            name: "BluetoothTransport",
            dependencies: [
                "BluetoothHCI",
                .target(name: "CLinuxBluetooth", condition: .when(platforms: [.linux])),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "BluetoothAirService",
            dependencies: [
                "BluetoothAir",
                "BluetoothTransport",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // The adapter that BlueZ has, as an air of real devices.
        .target(
            name: "BluetoothBlueZ",
            dependencies: [
                "BluetoothHost",
                "BluetoothAir",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "CoreBluetooth",
            dependencies: [
                "AssignedNumbers",
                "BluetoothHost",
                "BluetoothAir",
                "BluetoothAirService",
                "BluetoothBlueZ",
                "BluetoothTransport",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Key-value observation of Core Bluetooth's objects, for code that has it: in no program of ours.
        .target(
            name: "CoreBluetoothObservation",
            dependencies: [
                "CoreBluetooth",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        // What a program hands to dispatch queues, seen on the way.
        .target(name: "CDispatchWork"),
        // Sequence diagrams as values, as pictures and as text.
        .target(name: "SequenceDiagram"),
        .target(
            name: "CoreBluetoothTesting",
            dependencies: [
                "CoreBluetooth",
                "CDispatchWork",
                "BluetoothHost",
                "BluetoothAir",
                "BluetoothTransport",
                "SequenceDiagram",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ]
        ),
        // The clocks of a whole process, held by a world: for tests, in no program of ours.
        .target(name: "CProcessTime", dependencies: ["CDispatchWork"]),
        .target(
            name: "CoreBluetoothProcessTime",
            dependencies: ["CProcessTime", "CoreBluetoothTesting"]
        ),
        .target(
            name: "ITCB",
            dependencies: ["CoreBluetooth"],
            // The same sources build on Apple's platforms, with the tools that their apps use.
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        // The programs' version, which the C compiler takes in from its file.
        .target(name: "CProgramVersion"),
        // What the programs share: lines in and out, options, ways to end.
        .target(
            name: "CommandLineTool",
            dependencies: [
                "CProgramVersion",
                "CoreBluetooth",
                "BluetoothHCI",
                "BluetoothHost",
                "BluetoothTransport",
                "SequenceDiagram",
                "TerminalScreen",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Full-screen programs in a terminal, without a library that has to be installed.
        .target(name: "CTerminal"),
        .target(
            name: "TerminalScreen",
            dependencies: ["CTerminal"]
        ),
        // A page for the user of this computer, over HTTP.
        .target(
            name: "LoopbackWeb",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        // The files of the 8-ball's page, which the C compiler takes in as they are.
        .target(
            name: "CEightBallPage",
            exclude: ["page.html", "page.css", "page.js", "icon.svg"]
        ),
        .executableTarget(
            name: "eightball",
            dependencies: [
                "CEightBallPage",
                "ITCB",
                "CommandLineTool",
                "LoopbackWeb",
                "TerminalScreen",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(
            name: "BlueEar",
            dependencies: [
                "CoreBluetooth",
                // The lock's HMAC; on Apple's platforms CryptoKit has it.
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
            ],
            // As ITCB.
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        // The programs blueear and corebluetooth: folders whose names differ in case alone would not fit every disk.
        .executableTarget(
            name: "BlueEarCommand",
            dependencies: [
                "BlueEar",
                "CommandLineTool",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // The files of the course's code, which the C compiler takes in as they are.
        .target(name: "CLessonCode"),
        // The course: lessons whose code is compiled and run, for the tool and for the documentation; not a product.
        .target(
            name: "Lessons",
            dependencies: [
                "CLessonCode",
                "CoreBluetooth",
                "CoreBluetoothTesting",
                "CommandLineTool",
                // As BlueEar.
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
            ],
            // As ITCB.
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .executableTarget(
            name: "CoreBluetoothCommand",
            dependencies: [
                "AssignedNumbers",
                "CoreBluetooth",
                "Lessons",
                "BluetoothAir",
                "BluetoothAirService",
                "BluetoothHCI",
                "BluetoothHost",
                "BluetoothTransport",
                "BluetoothTypes",
                "CommandLineTool",
                "TerminalScreen",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        // What hosts and controllers of others meet, see Interop/README.md; not a product.
        .executableTarget(
            name: "InteropPeer",
            dependencies: ["CoreBluetooth", .product(name: "NIOConcurrencyHelpers", package: "swift-nio")],
            path: "Interop/Peer",
            // Ordinary client code, written before strict concurrency, as most is.
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        // What tests of several modules stand on, in every layer; not a product.
        .target(
            name: "Fixtures",
            dependencies: [
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Fixtures"
        ),
        .testTarget(
            name: "BluetoothTypesTests",
            dependencies: ["BluetoothTypes", "Fixtures"]
        ),
        .testTarget(
            name: "AssignedNumbersTests",
            dependencies: ["AssignedNumbers", "BluetoothTypes", "CAssignedNumbers"]
        ),
        .testTarget(
            name: "BluetoothHCITests",
            dependencies: ["BluetoothHCI", "Fixtures"]
        ),
        .testTarget(
            name: "BluetoothHostTests",
            dependencies: [
                "BluetoothHost",
                "BluetoothAir",
                "Fixtures",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BluetoothAirTests",
            dependencies: [
                "BluetoothAir",
                "Fixtures",
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BluetoothTransportTests",
            dependencies: [
                "BluetoothTransport",
                "Fixtures",
                .target(name: "CLinuxBluetooth", condition: .when(platforms: [.linux])),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BluetoothAirServiceTests",
            dependencies: [
                "BluetoothAirService",
                "Fixtures",
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BluetoothBlueZTests",
            dependencies: [
                "BluetoothBlueZ",
                "Fixtures",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        // Adapters in virtual time, for the tests of Core Bluetooth and of the SDKs; not a product.
        .target(
            name: "Testbed",
            dependencies: [
                "CoreBluetooth",
                "CoreBluetoothTesting",
                "BluetoothAir",
                "BluetoothHCI",
                "BluetoothHost",
                "BluetoothTransport",
                "Fixtures",
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/Testbed"
        ),
        .testTarget(
            name: "CoreBluetoothTests",
            dependencies: [
                "CoreBluetooth",
                "BluetoothHost",
                "BluetoothAir",
                "BluetoothAirService",
                "BluetoothTransport",
                "Fixtures",
                "Testbed",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "CoreBluetoothTestingTests",
            dependencies: [
                "BluetoothHCI",
                "BluetoothTransport",
                "BluetoothTypes",
                "CDispatchWork",
                "CoreBluetoothTesting",
                "Fixtures",
                "Testbed",
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "CoreBluetoothProcessTimeTests",
            dependencies: [
                "CProcessTime",
                "CoreBluetoothProcessTime",
                "CoreBluetoothTesting",
                "Fixtures",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "CoreBluetoothObservationTests",
            dependencies: ["CoreBluetoothObservation", "CoreBluetoothTesting"],
            // Ordinary client code, written before strict concurrency, as most is.
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        // The recipes of the page "Porting an app", in Swift 6.
        .testTarget(
            name: "PortingTests",
            dependencies: [
                "CoreBluetooth",
                "CoreBluetoothTesting",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
            ]
        ),
        // The programs of the documentation's pages, run, and compared with the pages.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "BluetoothAir",
                "BluetoothAirService",
                "BluetoothHCI",
                "BluetoothHost",
                "BluetoothTransport",
                "BluetoothTypes",
                "CoreBluetooth",
                "Fixtures",
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        // Code as others write it: no @testable, the public modules alone. The samples are Swift 5 code, as most is.
        .target(
            name: "ClientSamples",
            dependencies: [
                "CoreBluetooth",
                // The mesh messenger's keys; on Apple's platforms CryptoKit has them.
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
            ],
            path: "Tests/ClientSamples",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "ClientTests",
            dependencies: ["ClientSamples", "CoreBluetooth", "CoreBluetoothTesting"]
        ),
        // An app with queues, actors, timers and clocks of its own, as it ships.
        .testTarget(
            name: "MeshMessengerTests",
            dependencies: ["BluetoothTypes", "ClientSamples", "CoreBluetoothProcessTime", "CoreBluetoothTesting"]
        ),
        .testTarget(
            name: "BlueEarTests",
            dependencies: [
                "BlueEar",
                "CoreBluetoothTesting",
                "BluetoothAir",
                "BluetoothHost",
                "Fixtures",
                "Testbed",
            ]
        ),
        .testTarget(
            name: "CoreBluetoothCommandTests",
            dependencies: [
                "CoreBluetoothCommand", "BluetoothAirService", "BluetoothHCI", "BluetoothTransport", "BluetoothTypes",
                "BluetoothHost", "CommandLineTool", "CoreBluetoothTesting", "Fixtures", "SessionTestbed",
                "TerminalScreen",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "ITCBTests",
            dependencies: [
                "ITCB",
                "BluetoothAir",
                "BluetoothHost",
                "CoreBluetoothTesting",
                "Fixtures",
                "Testbed",
            ]
        ),
        // Sessions of the programs, each in a process of its own whose clocks are a world's.
        .target(
            name: "SessionTestbed",
            dependencies: ["CommandLineTool", "CoreBluetoothProcessTime", "CoreBluetoothTesting", "Fixtures"],
            path: "Tests/SessionTestbed"
        ),
        .testTarget(
            name: "BlueEarCommandTests",
            dependencies: [
                "BlueEar", "BlueEarCommand", "CommandLineTool", "CoreBluetoothTesting", "Fixtures", "SessionTestbed",
            ]
        ),
        .testTarget(
            name: "EightBallTests",
            dependencies: [
                "eightball", "BluetoothHost", "CommandLineTool", "CoreBluetoothTesting", "Fixtures", "ITCB",
                "LoopbackWeb", "SessionTestbed", "TerminalScreen",
            ]
        ),
        .testTarget(
            name: "SequenceDiagramTests",
            dependencies: ["SequenceDiagram"]
        ),
        .testTarget(
            name: "CommandLineToolTests",
            dependencies: [
                "BluetoothHost", "BluetoothTypes", "CommandLineTool", "CoreBluetooth", "Fixtures", "SequenceDiagram",
                "SessionTestbed",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "LessonsTests",
            dependencies: ["CommandLineTool", "CoreBluetoothTesting", "Lessons"]
        ),
        .testTarget(
            name: "TerminalScreenTests",
            dependencies: ["TerminalScreen", "Fixtures", "SessionTestbed"]
        ),
        .testTarget(
            name: "LoopbackWebTests",
            dependencies: [
                "LoopbackWeb",
                "Fixtures",
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        // Whole worlds against traces that a person has read.
        .testTarget(
            name: "WorldTraceTests",
            dependencies: ["BlueEar", "CoreBluetooth", "CoreBluetoothTesting", "ITCB"],
            exclude: ["Traces"]
        ),
        // Real threads, sockets, terminals, and processes whose end is a test's result.
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "BlueEar", "BlueEarCommand", "BluetoothAir", "BluetoothAirService", "BluetoothBlueZ", "BluetoothHCI",
                "BluetoothHost", "BluetoothTransport", "BluetoothTypes", "CDispatchWork", "CProcessTime", "ClientSamples",
                "CommandLineTool", "CoreBluetooth", "CoreBluetoothCommand", "CoreBluetoothProcessTime",
                "CoreBluetoothTesting", "Fixtures", "ITCB", "LoopbackWeb", "SequenceDiagram", "SessionTestbed",
                "TerminalScreen", "Testbed", "eightball",
                .target(name: "CLinuxBluetooth", condition: .when(platforms: [.linux])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        // The built programs as processes.
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "eightball", "BlueEarCommand", "CommandLineTool", "CoreBluetoothCommand", "Fixtures",
                "TerminalScreen",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// `swift test` builds the specification. `TESTS=system`, `TESTS=programs`, or names of test targets with commas between
// them choose others; see CONTRIBUTING.md.
let layers = [
    "system": ["SystemTests", "CoreBluetoothProcessTimeTests", "MeshMessengerTests"],
    "programs": ["ProgramTests"],
]
let chosen = Context.environment["TESTS"] ?? "specification"
package.targets.removeAll { target in
    guard target.type == .test, chosen != "all" else { return false }
    if chosen == "specification" { return layers.values.contains { $0.contains(target.name) } }
    return !(layers[chosen] ?? chosen.split(separator: ",").map(String.init)).contains(target.name)
}

// An import is part of a module's interface only where the file says `public import`.
for target in package.targets {
    if target.name != "ClientSamples" {
        target.swiftSettings = (target.swiftSettings ?? []) + [.enableUpcomingFeature("InternalImportsByDefault")]
    }
    // The gate builds with this; a user's build never fails on a warning of a newer compiler.
    if Context.environment["OPENCOREBLUETOOTH_WARNINGS_AS_ERRORS"] != nil {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}
