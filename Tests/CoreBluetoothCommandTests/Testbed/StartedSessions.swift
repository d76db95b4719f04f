// Sessions of a peripheral that JSON describes.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation

@testable import CoreBluetoothCommand

extension PeripheralSession {
    /// A session that has not started, of the peripheral that `json` describes.
    static func described(
        _ json: String?,
        name: String = "Safe",
        advertised: [String] = [],
        benchmark: Bool = false,
        isJSON: Bool = false,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> PeripheralSession {
        PeripheralSession(
            name: name,
            advertised: advertised.map { CBUUID(string: $0) },
            description: try json.map { try GATTDescription(json: Data($0.utf8), from: "t.json") },
            benchmark: benchmark,
            output: OutputFormat(isJSON: isJSON, isVerbose: false, write: print)
        )
    }

    /// The same, started on the device "peripheral" of a world.
    static func started(
        _ json: String?,
        in world: World,
        mtu: Int = 517,
        advertised: [String] = [],
        benchmark: Bool = false,
        isJSON: Bool = false,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> PeripheralSession {
        try world.addDevice("peripheral", mtu: mtu).run {
            let session = try described(json, advertised: advertised, benchmark: benchmark, isJSON: isJSON, print)
            session.start()
            return session
        }
    }

    /// JSON of a service FFF0 with these characteristics.
    nonisolated static func json(_ characteristics: String) -> String {
        #"{ "services": [ { "uuid": "FFF0", "characteristics": [ \#(characteristics) ] } ] }"#
    }
}
