import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("Discovered attributes as they are stored")
struct GATTRemoteCodableTests {
    private func decode(service: String, characteristic: String) throws -> DiscoveredAttributes {
        let text = """
            {"services":[{"record":{\(service),"isPrimary":true},"isListed":true,"characteristics":\
            [{"record":{\(characteristic),"properties":2},"isNotifying":false}]}]}
            """
        return try JSONDecoder().decode(DiscoveredAttributes.self, from: Data(text.utf8))
    }

    private let service = #""uuid":"180D","first":1,"last":1"#
    private let characteristic = #""uuid":"2A37","declaration":1,"value":2,"end":2"#

    @Test("reads the smallest service and the smallest characteristic")
    func smallest() throws {
        let found = try self.decode(service: self.service, characteristic: self.characteristic).services.first
        #expect(found?.record.handles == 1...1 && found?.record.uuid == 0x180D)
        let record = found?.characteristics?.first?.record
        #expect(record?.declarationHandle == 1 && record?.valueHandle == 2 && record?.endHandle == 2)
    }

    @Test(
        "rejects the handles and UUIDs of a service that cannot exist",
        arguments: [
            #""uuid":"180D","first":5,"last":4"#, #""uuid":"180D","first":0,"last":4"#,
            #""uuid":"18","first":1,"last":4"#,
        ]
    )
    func services(service: String) {
        #expect(throws: DecodingError.self) {
            try self.decode(service: service, characteristic: self.characteristic)
        }
    }

    @Test(
        "rejects the handles of a characteristic that cannot exist",
        arguments: [
            #""declaration":0,"value":3,"end":3"#, #""declaration":3,"value":3,"end":3"#,
            #""declaration":2,"value":3,"end":2"#, #""declaration":2,"value":70000,"end":2"#,
        ]
    )
    func characteristics(handles: String) {
        #expect(throws: DecodingError.self) {
            try self.decode(service: self.service, characteristic: #""uuid":"2A37","# + handles)
        }
    }
}
