// swift-tools-version: 6.2
// OpenCoreBluetooth: Apple's Core Bluetooth on Linux, from the radio up.
// A module imports only modules listed above it; see CONTRIBUTING.md.

import PackageDescription

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto")
    /// What CryptoKit has on Apple's platforms.
    static let cryptoKit = product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux]))
    static let deque = product(name: "DequeModule", package: "swift-collections")
    static let heap = product(name: "HeapModule", package: "swift-collections")
    static let logging = product(name: "Logging", package: "swift-log")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioLocks = product(name: "NIOConcurrencyHelpers", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
}

let package = Package(
    name: "OpenCoreBluetooth",
    products: [
        "BluetoothTypes", "BluetoothHCI", "BluetoothHost", "BluetoothAir", "BluetoothTransport", "BluetoothAirService",
        "CoreBluetooth", "CoreBluetoothObservation", "CoreBluetoothTesting", "CoreBluetoothProcessTime", "ITCB",
        "BlueEar",
    ].map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "eightball", targets: ["eightball"]),
        .executable(name: "blueear", targets: ["BlueEarCommand"]),
        .executable(name: "corebluetooth", targets: ["CoreBluetoothCommand"]),
        .executable(name: "corebluetooth-learn", targets: ["Lessons"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
    ],
    targets: [
        .target(name: "BluetoothTypes", dependencies: [.nioCore]),
        // What the Bluetooth SIG's numbers stand for: tables, which the C compiler takes in as they are.
        .target(
            name: "CAssignedNumbers",
            exclude: [
                "LICENSE-bluetooth-numbers", "additions.txt", "appearances.txt", "companies.txt", "formats.txt", "make",
                "names.txt", "units.txt",
            ]
        ),
        .target(name: "AssignedNumbers", dependencies: ["BluetoothTypes", "CAssignedNumbers"]),
        .target(name: "BluetoothHCI", dependencies: ["BluetoothTypes"]),
        .target(name: "BluetoothHost", dependencies: ["BluetoothHCI", .crypto, .cryptoExtras, .deque, .logging]),
        .target(name: "BluetoothAir", dependencies: ["BluetoothHCI", .crypto, .cryptoExtras, .deque, .heap]),
        // What Swift cannot say: of the kernel, of terminals, and where the programs' version stands.
        .target(name: "CPlatform"),
        .target(name: "BluetoothTransport", dependencies: ["BluetoothHCI", "CPlatform", .nioPosix, .logging]),
        .target(name: "BluetoothAirService", dependencies: ["BluetoothAir", "BluetoothTransport", .logging]),
        // BlueZ's adapter, as an air of real devices.
        .target(
            name: "BluetoothBlueZ",
            dependencies: ["BluetoothAir", "BluetoothHost", "CPlatform", .nioCore, .logging]
        ),
        .target(
            name: "CoreBluetooth",
            dependencies: [
                "AssignedNumbers", "BluetoothHost", "BluetoothAir", "BluetoothAirService", "BluetoothBlueZ",
                "BluetoothTransport", .deque, .nioLocks, .nioPosix, .logging,
            ]
        ),
        // Key-value observation of Core Bluetooth's objects, for code that has it: in no program of ours.
        .target(name: "CoreBluetoothObservation", dependencies: ["CoreBluetooth", .deque, .nioLocks]),
        // What a program hands to dispatch queues, seen on the way.
        .target(name: "CDispatchWork"),
        // Sequence diagrams as values, as pictures and as text.
        .target(name: "SequenceDiagram"),
        // In the course, and in no other program of ours.
        .target(
            name: "CoreBluetoothTesting",
            dependencies: [
                "CoreBluetooth", "CDispatchWork", "BluetoothHost", "BluetoothAir", "BluetoothTransport",
                "SequenceDiagram", .deque, .heap, .nioLocks,
            ]
        ),
        // The clocks of a whole process, held by a world: for tests, in no program of ours.
        .target(name: "CProcessTime", dependencies: ["CDispatchWork"]),
        .target(name: "CoreBluetoothProcessTime", dependencies: ["CProcessTime", "CoreBluetoothTesting"]),
        .target(name: "ITCB", dependencies: ["CoreBluetooth"]),
        // Full-screen programs in a terminal, without a library that has to be installed.
        .target(name: "TerminalScreen", dependencies: ["CPlatform"]),
        // What the programs share: lines in and out, options, ways to end.
        .target(
            name: "CommandLineTool",
            dependencies: [
                "CPlatform", "CoreBluetooth", "BluetoothHCI", "BluetoothHost", "BluetoothTransport", "BluetoothTypes",
                "SequenceDiagram", "TerminalScreen", .argumentParser, .logging,
            ]
        ),
        // A page for the user of this computer, over HTTP.
        .target(name: "LoopbackWeb", dependencies: [.nioCore, .nioHTTP1, .nioPosix]),
        .executableTarget(
            name: "eightball",
            dependencies: ["ITCB", "CommandLineTool", "LoopbackWeb", "TerminalScreen", .argumentParser],
            resources: [.embedInCode("Web/Page")]
        ),
        .target(name: "BlueEar", dependencies: ["CoreBluetooth", .cryptoKit]),
        // The programs blueear and corebluetooth: folders whose names differ in case alone would not fit every disk.
        .executableTarget(name: "BlueEarCommand", dependencies: ["BlueEar", "CommandLineTool", .argumentParser]),
        .executableTarget(
            name: "CoreBluetoothCommand",
            dependencies: [
                "AssignedNumbers", "CoreBluetooth", "BluetoothAir", "BluetoothAirService", "BluetoothHCI",
                "BluetoothHost", "BluetoothTransport", "BluetoothTypes", "CommandLineTool", "TerminalScreen",
                .argumentParser, .logging, .nioLocks, .nioPosix,
            ]
        ),
        // The course, the program corebluetooth-learn: lessons whose code is compiled, shown and run.
        .executableTarget(
            name: "Lessons",
            dependencies: [
                "BluetoothTransport", "CoreBluetooth", "CoreBluetoothTesting", "CommandLineTool", "TerminalScreen",
                .argumentParser, .cryptoKit,
            ],
            resources: [.embedInCode("Listings")]
        ),
        // What tests of several modules stand on, in every layer.
        .target(name: "Fixtures", dependencies: [.nioLocks, .nioCore, .logging], path: "Tests/Fixtures"),
        // Adapters in virtual time, for the tests of Core Bluetooth and of the SDKs.
        .target(
            name: "Testbed",
            dependencies: [
                "CoreBluetooth", "CoreBluetoothTesting", "BluetoothAir", "BluetoothHCI", "BluetoothHost",
                "BluetoothTransport", "Fixtures", .nioCore,
            ],
            path: "Tests/Testbed"
        ),
        // Sessions of the programs, each in a process of its own whose clocks are a world's.
        .target(
            name: "SessionTestbed",
            dependencies: ["CommandLineTool", "CoreBluetoothProcessTime", "CoreBluetoothTesting", "Fixtures"],
            path: "Tests/SessionTestbed"
        ),
        // Code as others write it: no @testable, the public modules alone. The samples are Swift 5 code, as most is.
        .target(name: "ClientSamples", dependencies: ["CoreBluetooth", .cryptoKit], path: "Tests/ClientSamples"),
    ],
    swiftLanguageModes: [.v6]
)

// MARK: - Tests

/// What a layer of tests has, and what each target of it stands on.
let tests: [(layer: String, targets: KeyValuePairs<String, [Target.Dependency]>)] = [
    (
        "specification",
        [
            "BluetoothTypesTests": ["BluetoothTypes", "Fixtures"],
            "AssignedNumbersTests": ["AssignedNumbers", "BluetoothTypes", "CAssignedNumbers"],
            "BluetoothHCITests": ["BluetoothHCI", "Fixtures"],
            "BluetoothHostTests": ["BluetoothHost", "BluetoothAir", "Fixtures", .nioEmbedded],
            "BluetoothAirTests": ["BluetoothAir", "Fixtures", .nioEmbedded, .nioPosix],
            "BluetoothTransportTests": ["BluetoothTransport", "Fixtures", .nioEmbedded],
            "BluetoothAirServiceTests": ["BluetoothAirService", "Fixtures", .nioEmbedded, .nioPosix],
            "BluetoothBlueZTests": ["BluetoothBlueZ", "Fixtures", .nioEmbedded],
            "CoreBluetoothTests": [
                "CoreBluetooth", "BluetoothHost", "BluetoothAir", "BluetoothAirService", "BluetoothTransport",
                "Fixtures",
                "Testbed", .nioLocks, .nioEmbedded,
            ],
            "CoreBluetoothTestingTests": [
                "BluetoothHCI", "BluetoothTransport", "BluetoothTypes", "CDispatchWork", "CoreBluetoothTesting",
                "Fixtures", "Testbed", .nioCore,
            ],
            "CoreBluetoothObservationTests": ["CoreBluetoothObservation", "CoreBluetoothTesting"],
            // The recipes of the page "Porting an app", in Swift 6.
            "PortingTests": ["CoreBluetooth", "CoreBluetoothTesting", .cryptoKit],
            // The programs of the documentation's pages, run, and compared with the pages.
            "DocumentationTests": [
                "BluetoothAir", "BluetoothAirService", "BluetoothHCI", "BluetoothHost", "BluetoothTransport",
                "BluetoothTypes", "CoreBluetooth", "CoreBluetoothCommand", "Fixtures", .argumentParser, .nioEmbedded,
                .nioPosix,
            ],
            "ClientTests": ["ClientSamples", "CoreBluetooth", "CoreBluetoothTesting"],
            "ITCBTests": ["ITCB", "BluetoothAir", "BluetoothHost", "CoreBluetoothTesting", "Fixtures", "Testbed"],
            "BlueEarTests": [
                "BlueEar", "BluetoothAir", "BluetoothHost", "CoreBluetoothTesting", "Fixtures", "Testbed",
            ],
            "SequenceDiagramTests": ["SequenceDiagram"],
            "TerminalScreenTests": ["TerminalScreen", "Fixtures", "SessionTestbed"],
            "LoopbackWebTests": ["LoopbackWeb", "Fixtures", .nioEmbedded, .nioHTTP1],
            "CommandLineToolTests": [
                "BluetoothHost", "BluetoothTypes", "CommandLineTool", "CoreBluetooth", "Fixtures", "SequenceDiagram",
                "SessionTestbed", .argumentParser, .logging,
            ],
            "BlueEarCommandTests": [
                "BlueEar", "BlueEarCommand", "CommandLineTool", "CoreBluetoothTesting", "Fixtures", "SessionTestbed",
            ],
            "EightBallTests": [
                "eightball", "BluetoothHost", "CommandLineTool", "CoreBluetoothTesting", "Fixtures", "ITCB",
                "LoopbackWeb", "SessionTestbed", "TerminalScreen",
            ],
            "CoreBluetoothCommandTests": [
                "CoreBluetoothCommand", "BluetoothAirService", "BluetoothHCI", "BluetoothTransport", "BluetoothTypes",
                "BluetoothHost", "CommandLineTool", "CoreBluetoothTesting", "Fixtures", "SessionTestbed",
                "TerminalScreen", .nioEmbedded,
            ],
            "LessonsTests": ["CommandLineTool", "CoreBluetoothTesting", "Fixtures", "Lessons"],
            // Whole worlds against traces that a person has read.
            "WorldTraceTests": ["BlueEar", "CoreBluetooth", "CoreBluetoothTesting", "ITCB"],
        ]
    ),
    // Real threads, sockets, terminals, and processes whose end is a test's result.
    (
        "system",
        [
            "SystemTests": [
                "BlueEar", "BlueEarCommand", "BluetoothAir", "BluetoothAirService", "BluetoothBlueZ", "BluetoothHCI",
                "BluetoothHost", "BluetoothTransport", "BluetoothTypes", "CDispatchWork", "CProcessTime", "CPlatform",
                "ClientSamples", "CommandLineTool", "CoreBluetooth", "CoreBluetoothCommand", "CoreBluetoothProcessTime",
                "CoreBluetoothTesting", "Fixtures", "ITCB", "Lessons", "LoopbackWeb", "SequenceDiagram",
                "SessionTestbed", "TerminalScreen", "Testbed", "eightball", .argumentParser, .crypto, .logging,
                .nioLocks, .nioEmbedded, .nioHTTP1, .nioPosix,
            ],
            "CoreBluetoothProcessTimeTests": [
                "CProcessTime", "CoreBluetoothProcessTime", "CoreBluetoothTesting", "Fixtures", .crypto,
            ],
            // An app with queues, actors, timers and clocks of its own, as it ships.
            "MeshMessengerTests": [
                "BluetoothTypes", "ClientSamples", "CoreBluetoothProcessTime", "CoreBluetoothTesting",
            ],
        ]
    ),
    // The built programs as processes.
    (
        "programs",
        [
            "ProgramTests": [
                "eightball", "BlueEarCommand", "CommandLineTool", "CoreBluetoothCommand", "Fixtures", "Lessons",
                "TerminalScreen",
            ]
        ]
    ),
]

// `swift test` builds the specification. `TESTS=system`, `TESTS=programs`, or names of test targets with commas between
// them choose others; see CONTRIBUTING.md. `TESTS=interop` is for Interop's scripts.
let chosen = (Context.environment["TESTS"] ?? "specification").split(separator: ",").map(String.init)
for (layer, targets) in tests {
    for (name, dependencies) in targets where chosen == ["all"] || chosen.contains(layer) || chosen.contains(name) {
        let traces = name == "WorldTraceTests" ? ["Traces"] : []
        package.targets.append(.testTarget(name: name, dependencies: dependencies, exclude: traces))
    }
}

if chosen == ["all"] || chosen == ["interop"] {
    // What hosts and controllers of others meet, see Interop/README.md.
    package.targets.append(
        .executableTarget(name: "InteropPeer", dependencies: ["CoreBluetooth", .nioLocks], path: "Interop/Peer")
    )
}

// MARK: - Settings

/// Ordinary client code, written before strict concurrency, as most is. The SDKs and the code of the course also build
/// on platforms of Apple, with the tools that their apps use.
let swift5 = ["BlueEar", "ClientSamples", "CoreBluetoothObservationTests", "ITCB", "InteropPeer", "Lessons"]

for target in package.targets {
    var settings: [SwiftSetting] = swift5.contains(target.name) ? [.swiftLanguageMode(.v5)] : []
    // An import is part of a module's interface only where the file says `public import`.
    if target.name != "ClientSamples" { settings.append(.enableUpcomingFeature("InternalImportsByDefault")) }
    // The gate builds with this; a user's build never fails on a warning of a newer compiler.
    if Context.environment["OPENCOREBLUETOOTH_WARNINGS_AS_ERRORS"] != nil {
        settings.append(.treatAllWarnings(as: .error))
    }
    target.swiftSettings = settings
}
