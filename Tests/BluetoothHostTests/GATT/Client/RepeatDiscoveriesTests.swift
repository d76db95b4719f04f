// Discoveries that are repeated in one go.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Repeated discoveries")
struct RepeatDiscoveriesTests {
    private static let characteristic = GATTRemoteCharacteristic(
        uuid: 0x2A37,
        properties: .read,
        declarationHandle: 2,
        valueHandle: 3,
        endHandle: 4
    )

    /// The requests, and the result.
    private func run(
        _ discoveries: [GATTDiscovery],
        _ answers: [String]
    ) throws -> (requests: [String], result: Result<[GATTDiscovered], GATTError>?) {
        var procedure = RepeatDiscoveries(discoveries)
        #expect(procedure.isExclusive)
        var step = procedure.begin(mtu: 23)
        var requests: [String] = []
        for answer in answers {
            guard case .request(let pdu) = step else { break }
            requests.append(hex(pdu))
            let octets = hex(answer)
            if answer.hasPrefix("01") {
                step = procedure.receive(try ATTErrorResponse(parsing: octets), mtu: 23)
            } else {
                do { step = try procedure.receive(octets, mtu: 23) } catch {
                    step = procedure.receiveMalformed(mtu: 23)
                }
            }
        }
        guard case .finish(let result) = step else { return (requests, nil) }
        return (requests, result)
    }

    @Test("makes one discovery after the other, and says what each has found")
    func all() throws {
        var behind = Self.characteristic
        behind.endHandle = behind.valueHandle
        let (requests, result) = try self.run(
            [
                .services([0x180D]), .includedServices(1...4), .characteristics(1...4), .descriptors(behind),
                .descriptors(Self.characteristic),
            ],
            [
                "07 01 00 04 00", "01 06 05 00 0A", "01 08 01 00 0A", "09 07 02 00 02 03 00 37 2A", "01 08 03 00 0A",
                "05 01 04 00 02 29",
            ]
        )
        #expect(
            requests == [
                "06 01 00 FF FF 00 28 0D 18", "06 05 00 FF FF 00 28 0D 18", "08 01 00 04 00 02 28",
                "08 01 00 04 00 03 28", "08 03 00 04 00 03 28", "04 04 00 04 00",
            ]
        )
        let service = GATTRemoteService(uuid: 0x180D, handles: 1...4, isPrimary: true)
        #expect(
            result
                == .success([
                    .services([service]), .services([]), .characteristics([Self.characteristic]), .descriptors([]),
                    .descriptors([GATTRemoteDescriptor(uuid: 0x2902, handle: 4)]),
                ])
        )
    }

    @Test("ends with nothing where nothing is repeated, and with the first error or nonsense")
    func ends() throws {
        #expect(try self.run([], []).result == .success([]))
        let error = try self.run([.services(nil), .characteristics(1...4)], ["01 10 01 00 05"])
        #expect(error.result == .failure(.att(.insufficientAuthentication, handle: 1)))
        #expect(try self.run([.services(nil)], ["11 05 00"]).result == .failure(.malformedResponse))
    }
}
