import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: characteristics and descriptors")
struct GATTCharacteristicDiscoveryTests {
    private static let question = BluetoothUUID("8E9A0002-1D8B-4C7F-9E0A-0123456789AB") ?? 0

    private static let script = """
        > 08 10 00 30 00 03 28
        < 09 07 11 00 02 12 00 00 2A  13 00 30 15 00 01 2A
        > 08 14 00 30 00 03 28
        < 09 15 1A 00 88 1B 00 AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 02 00 9A 8E
        > 08 1B 00 30 00 03 28
        < 01 08 1B 00 0A
        """

    @Test("GATT/CL/GAD/BV-04-C Discover all characteristics of a service")
    func gadBV04() {
        #expect(
            ClientScript.run(.discoverCharacteristics(0x0010...0x0030), Self.script)
                == .success(
                    .characteristics([
                        GATTRemoteCharacteristic(0x2A00, .read, 0x0011, 0x0012, 0x0012),
                        GATTRemoteCharacteristic(0x2A01, [.notify, .indicate], 0x0013, 0x0015, 0x0019),
                        GATTRemoteCharacteristic(Self.question, [.write, .extendedProperties], 0x001A, 0x001B, 0x0030),
                    ])
                )
        )
    }

    @Test("GATT/CL/GAD/BV-05-C Discover characteristics by UUID: all are asked for, so that the ends are right")
    func gadBV05() {
        #expect(
            ClientScript.run(.discoverCharacteristics(0x0010...0x0030, uuids: [0x2A01, 0x2A19]), Self.script)
                == .success(
                    .characteristics([GATTRemoteCharacteristic(0x2A01, [.notify, .indicate], 0x0013, 0x0015, 0x0019)])
                )
        )
        #expect(
            ClientScript.run(.discoverCharacteristics(0x0010...0x0030, uuids: [Self.question, 0x2A00]), Self.script)
                == .success(
                    .characteristics([
                        GATTRemoteCharacteristic(0x2A00, .read, 0x0011, 0x0012, 0x0012),
                        GATTRemoteCharacteristic(Self.question, [.write, .extendedProperties], 0x001A, 0x001B, 0x0030),
                    ])
                )
        )
    }

    @Test("GATT/CL/GAD/BV-04-C A service without characteristics, and one that ends with the handles")
    func gadBV04Ends() {
        #expect(
            ClientScript.run(
                .discoverCharacteristics(0x0010...0x0010),
                "> 08 10 00 10 00 03 28 \n < 01 08 10 00 0A"
            )
                == .success(.characteristics([]))
        )
        #expect(
            ClientScript.run(
                .discoverCharacteristics(0xFFFD...0xFFFF),
                """
                > 08 FD FF FF FF 03 28
                < 09 07 FE FF 02 FF FF 00 2A
                > 08 FF FF FF FF 03 28
                < 01 08 FF FF 0A
                """
            ) == .success(.characteristics([GATTRemoteCharacteristic(0x2A00, .read, 0xFFFE, 0xFFFF, 0xFFFF)]))
        )
    }

    @Test("GATT/CL/GAD/BV-06-C Discover all characteristic descriptors")
    func gadBV06() {
        let characteristic = GATTRemoteCharacteristic(0x2A00, .read, 0x0011, 0x0012, 0x0018)
        #expect(
            ClientScript.run(
                .discoverDescriptors(characteristic),
                """
                > 04 13 00 18 00
                < 05 01 13 00 02 29  14 00 01 29
                > 04 15 00 18 00
                < 05 02 16 00 AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 02 00 9A 8E
                > 04 17 00 18 00
                < 01 04 17 00 0A
                """
            )
                == .success(
                    .descriptors([
                        GATTRemoteDescriptor(uuid: 0x2902, handle: 0x0013),
                        GATTRemoteDescriptor(uuid: 0x2901, handle: 0x0014),
                        GATTRemoteDescriptor(uuid: Self.question, handle: 0x0016),
                    ])
                )
        )
    }

    @Test("GATT/CL/GAD/BV-06-C Nothing is asked where no handle is left")
    func gadBV06Ends() {
        #expect(
            ClientScript.run(.discoverDescriptors(GATTRemoteCharacteristic(0x2A00, .read, 0x0011, 0x0012, 0x0012)), "")
                == .success(.descriptors([]))
        )
        #expect(
            ClientScript.run(.discoverDescriptors(GATTRemoteCharacteristic(0x2A00, .read, 0xFFFE, 0xFFFF, 0xFFFF)), "")
                == .success(.descriptors([]))
        )
        #expect(
            ClientScript.run(
                .discoverDescriptors(GATTRemoteCharacteristic(0x2A00, .read, 0xFFFD, 0xFFFE, 0xFFFF)),
                "> 04 FF FF FF FF \n < 05 01 FF FF 02 29"
            ) == .success(.descriptors([GATTRemoteDescriptor(uuid: 0x2902, handle: 0xFFFF)]))
        )
    }

    @Test("ends a discovery with an error other than Attribute Not Found")
    func errors() {
        #expect(
            ClientScript.run(
                .discoverCharacteristics(0x0010...0x0030),
                "> 08 10 00 30 00 03 28 \n < 01 08 10 00 05"
            ) == .failure(.att(.insufficientAuthentication, handle: 0x0010))
        )
        #expect(
            ClientScript.run(
                .discoverDescriptors(GATTRemoteCharacteristic(0x2A00, .read, 0x0011, 0x0012, 0x0018)),
                "> 04 13 00 18 00 \n < 01 04 13 00 0E"
            ) == .failure(.att(.unlikelyError, handle: 0x0013))
        )
    }

    @Test(
        "Hostile: refuses a characteristic declaration that breaks the rules",
        arguments: [
            "09", "09 07", "09 06 11 00 02 12 00 00", "09 08 11 00 02 12 00 00 2A 00", "09 02 11 00",
            "09 00 11 00 02 12 00 00 2A", "09 07 11 00 02 12 00 00",
            "09 07 0F 00 02 12 00 00 2A", "09 07 11 00 02 11 00 00 2A", "09 07 11 00 02 10 00 00 2A",
            "09 07 11 00 02 31 00 00 2A", "09 07 31 00 02 32 00 00 2A", "09 07 00 00 02 12 00 00 2A",
            // Not growing, and a value behind the next declaration.
            "09 07 13 00 02 14 00 00 2A 11 00 02 12 00 01 2A", "09 07 11 00 02 12 00 00 2A 11 00 02 12 00 00 2A",
            "09 07 11 00 02 14 00 00 2A 13 00 02 15 00 01 2A", "0B 00", "01 0A 10 00 0A",
        ]
    )
    func hostileCharacteristics(answer: String) {
        #expect(
            ClientScript.run(
                .discoverCharacteristics(0x0010...0x0030),
                "> 08 10 00 30 00 03 28 \n < " + answer
            ) == .failure(.malformedResponse)
        )
    }

    @Test("Hostile: refuses a later answer that steps back")
    func hostileStepBack() {
        #expect(
            ClientScript.run(
                .discoverCharacteristics(0x0010...0x0030),
                """
                > 08 10 00 30 00 03 28
                < 09 07 11 00 02 12 00 00 2A
                > 08 12 00 30 00 03 28
                < 09 07 12 00 02 13 00 00 2A
                """
            ) == .failure(.malformedResponse)
        )
    }

    @Test(
        "Hostile: refuses a list of descriptors that breaks the rules",
        arguments: [
            "05", "05 01", "05 00 13 00 02 29", "05 03 13 00 02 29", "05 01 13 00 02", "05 02 13 00 02 29",
            "05 01 12 00 02 29", "05 01 19 00 02 29", "05 01 00 00 02 29", "05 01 14 00 02 29 13 00 01 29",
            "05 01 13 00 02 29 13 00 02 29", "09 04 13 00 02 29",
        ]
    )
    func hostileDescriptors(answer: String) {
        #expect(
            ClientScript.run(
                .discoverDescriptors(GATTRemoteCharacteristic(0x2A00, .read, 0x0011, 0x0012, 0x0018)),
                "> 04 13 00 18 00 \n < " + answer
            ) == .failure(.malformedResponse)
        )
    }
}
