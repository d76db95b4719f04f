import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("7.12 The attributes that a procedure concerns")
struct PeripheralProcedureTests {
    /// A characteristic of a service at the handles 10 to 19.
    private static let characteristic = GATTRemoteCharacteristic(
        uuid: 0x2A37,
        properties: [.read, .notify],
        declarationHandle: 11,
        valueHandle: 12,
        endHandle: 14
    )

    /// The ranges of handles that change.
    private static let ranges: [AttributeHandleRange] = [
        1...9, 1...10, 11...11, 12...12, 13...13, 12...14, 19...30, 20...30, 1...0xFFFF,
    ]

    @Test("concerns the service, the value or the descriptor that it names, and no services that it looks for")
    func ranges() {
        let none = [Bool](repeating: false, count: 9)
        let contents = [false, true, true, true, true, true, true, false, true]
        let value = [false, false, false, true, false, true, false, false, true]
        let descriptor = [false, false, false, false, true, true, false, false, true]
        let rows: [(any PeripheralProcedure, [Bool])] = [
            (ServiceDiscovery(uuids: nil), none), (ServiceDiscovery(uuids: [0x180D]), none),
            (IncludedServiceDiscovery(service: 10...19, uuids: nil), contents),
            (CharacteristicDiscovery(service: 10...19, uuids: [0x2A37]), contents),
            (DescriptorDiscovery(characteristic: Self.characteristic), value),
            (SubscriptionChange(isSubscribed: true, characteristic: Self.characteristic), value),
            (SubscriptionChange(isSubscribed: false, characteristic: Self.characteristic), value),
            (ValueRead(attribute: .characteristic(12)), value),
            (ValueWrite(attribute: .characteristic(12), value: ByteBuffer()), value),
            (ValueRead(attribute: .descriptor(13)), descriptor),
            (ValueWrite(attribute: .descriptor(13), value: ByteBuffer()), descriptor),
        ]
        for (procedure, expected) in rows {
            #expect(Self.ranges.map { procedure.concerns($0) } == expected, "\(procedure)")
        }
    }
}
