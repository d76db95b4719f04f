import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Repeated discoveries")
struct RepeatDiscoveriesTests {
    @Test("makes one discovery after the other, and returns the result of each")
    func all() {
        let characteristic = GATTRemoteCharacteristic(0x2A37, .read, 2, 3, 4)
        #expect(RepeatDiscoveries([]).isExclusive)
        #expect(
            ClientScript.run(
                .repeatDiscoveries([
                    .services([0x180D]), .includedServices(1...4), .characteristics(1...4),
                    .descriptors(GATTRemoteCharacteristic(0x2A37, .read, 2, 3, 3)), .descriptors(characteristic),
                ]),
                """
                > 06 01 00 FF FF 00 28 0D 18
                < 07 01 00 04 00
                > 06 05 00 FF FF 00 28 0D 18
                < 01 06 05 00 0A
                > 08 01 00 04 00 02 28
                < 01 08 01 00 0A
                > 08 01 00 04 00 03 28
                < 09 07 02 00 02 03 00 37 2A
                > 08 03 00 04 00 03 28
                < 01 08 03 00 0A
                > 04 04 00 04 00
                < 05 01 04 00 02 29
                """
            )
                == .success(
                    .discovered([
                        .services([GATTRemoteService(uuid: 0x180D, handles: 1...4, isPrimary: true)]), .services([]),
                        .characteristics([characteristic]), .descriptors([]),
                        .descriptors([GATTRemoteDescriptor(uuid: 0x2902, handle: 4)]),
                    ])
                )
        )
    }

    @Test(
        "ends with the first error or malformed answer",
        arguments: [
            ("01 10 01 00 05", .att(.insufficientAuthentication, handle: 1)), ("11 05 00", .malformedResponse),
        ] as [(String, GATTError)]
    )
    func failed(answer: String, error: GATTError) {
        let procedure = ClientProcedure.repeatDiscoveries([.services(nil), .characteristics(1...4)])
        #expect(ClientScript.run(procedure, "> 10 01 00 FF FF 00 28 \n < \(answer)") == .failure(error))
    }
}
