// Scripts that many tests use.

import BluetoothHost

@testable import CoreBluetoothTesting

extension ScriptedPeripheral {
    /// A thermometer that shows 21 degrees.
    static func thermometer(
        updates: Updates? = nil,
        onRead: ((ScriptedDevice) -> Answer)? = nil,
        onWrite: ((Data, ScriptedDevice) -> Answer)? = nil,
        mtu: Int = 247,
        refusesConnections: Bool = false,
        faults: [Fault] = []
    ) -> ScriptedPeripheral {
        ScriptedPeripheral(
            name: "Thermo",
            services: [
                Service(
                    "1809",
                    characteristics: [
                        Characteristic(
                            "2A1C",
                            properties: [.read, .write, .notify],
                            value: Data([21]),
                            onRead: onRead,
                            onWrite: onWrite,
                            updates: updates
                        )
                    ]
                ),
                // One that an app could not publish.
                Service("180F", characteristics: [Characteristic("2A19", properties: .read, value: Data([100]))]),
            ],
            mtu: mtu,
            refusesConnections: refusesConnections,
            faults: faults
        )
    }

    /// A peripheral with one service.
    static func thing(_ characteristics: [Characteristic]) -> ScriptedPeripheral {
        ScriptedPeripheral(name: "Thing", services: [.init("FFF0", characteristics: characteristics)])
    }

    /// The script of a recording with one service.
    static func recorded(_ characteristics: [RecordedCharacteristic]) -> ScriptedPeripheral {
        var service = RecordedService(uuid: 0xFFF0, isPrimary: true, handles: 1...20)
        service.characteristics = characteristics
        service.wasDiscovered = true
        var recorded = RecordedPeripheral()
        recorded.services = [service]
        return ScriptedPeripheral(recorded, .init(file: #fileID, line: #line))
    }
}
