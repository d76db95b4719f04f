import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: services")
struct GATTServiceDiscoveryTests {
    private static let ball = BluetoothUUID("8E9A0001-1D8B-4C7F-9E0A-0123456789AB") ?? 0

    private func service(
        _ uuid: BluetoothUUID,
        _ handles: AttributeHandleRange,
        isPrimary: Bool = true
    ) -> GATTRemoteService {
        GATTRemoteService(uuid: uuid, handles: handles, isPrimary: isPrimary)
    }

    @Test("GATT/CL/GAD/BV-01-C Discover all primary services")
    func gadBV01() {
        let outcome = ClientScript.run(
            .discoverServices(uuids: nil),
            """
            > 10 01 00 FF FF 00 28
            < 11 06 01 00 05 00 00 18  06 00 09 00 01 18  10 00 16 00 0F 18
            > 10 17 00 FF FF 00 28
            < 11 14 20 00 28 00 AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 01 00 9A 8E
            > 10 29 00 FF FF 00 28
            < 01 10 29 00 0A
            """
        )
        #expect(
            outcome
                == .success(
                    .services([
                        self.service(0x1800, 0x0001...0x0005), self.service(0x1801, 0x0006...0x0009),
                        self.service(0x180F, 0x0010...0x0016), self.service(Self.ball, 0x0020...0x0028),
                    ])
                )
        )
    }

    @Test("GATT/CL/GAD/BV-01-C A service that ends at 0xFFFF is the last")
    func gadBV01End() {
        let outcome = ClientScript.run(
            .discoverServices(uuids: nil),
            """
            > 10 01 00 FF FF 00 28
            < 11 06 01 00 FF FF 00 18
            """
        )
        #expect(outcome == .success(.services([self.service(0x1800, 0x0001...0xFFFF)])))
    }

    @Test("GATT/CL/GAD/BV-01-C A server without services")
    func gadBV01None() {
        #expect(
            ClientScript.run(.discoverServices(uuids: nil), "> 10 01 00 FF FF 00 28 \n < 01 10 01 00 0A")
                == .success(.services([]))
        )
    }

    @Test("GATT/CL/GAD/BV-02-C Discover primary services by UUID")
    func gadBV02() {
        let outcome = ClientScript.run(
            .discoverServices(uuids: [0x180F]),
            """
            > 06 01 00 FF FF 00 28 0F 18
            < 07 10 00 16 00  30 00 36 00
            > 06 37 00 FF FF 00 28 0F 18
            < 01 06 37 00 0A
            """
        )
        #expect(
            outcome
                == .success(
                    .services([self.service(0x180F, 0x0010...0x0016), self.service(0x180F, 0x0030...0x0036)])
                )
        )
    }

    @Test("GATT/CL/GAD/BV-02-C A 128-bit UUID, up to the last handle")
    func gadBV02Long() {
        let outcome = ClientScript.run(
            .discoverServices(uuids: [Self.ball]),
            mtu: 23,
            """
            > 06 01 00 FF FF 00 28 AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 01 00 9A 8E
            < 07 20 00 FF FF
            """
        )
        #expect(outcome == .success(.services([self.service(Self.ball, 0x0020...0xFFFF)])))
    }

    @Test("GATT/CL/GAD/BV-02-C One run for each UUID, in the order of the filter and each UUID once")
    func gadBV02Filter() {
        // The 128-bit form of a short UUID is sent in its short form, and is no second UUID.
        let long = BluetoothUUID("00001800-0000-1000-8000-00805F9B34FB") ?? 0
        let outcome = ClientScript.run(
            .discoverServices(uuids: [0x180F, long, 0x1800]),
            """
            > 06 01 00 FF FF 00 28 0F 18
            < 07 10 00 FF FF
            > 06 01 00 FF FF 00 28 00 18
            < 07 01 00 05 00
            > 06 06 00 FF FF 00 28 00 18
            < 01 06 06 00 0A
            """
        )
        #expect(
            outcome
                == .success(
                    .services([self.service(0x180F, 0x0010...0xFFFF), self.service(0x1800, 0x0001...0x0005)])
                )
        )
        #expect(ClientScript.run(.discoverServices(uuids: []), "") == .success(.services([])))
    }

    @Test("GATT/CL/GAD/BV-03-C Find included services")
    func gadBV03() {
        let outcome = ClientScript.run(
            .discoverIncludedServices(0x0020...0x0040),
            """
            > 08 20 00 40 00 02 28
            < 09 08 21 00 01 00 05 00 00 18  22 00 10 00 16 00 0F 18
            > 08 23 00 40 00 02 28
            < 09 06 24 00 50 00 58 00
            > 08 25 00 40 00 02 28
            < 01 08 25 00 0A
            > 04 01 00 01 00           // primary or secondary?
            < 05 01 01 00 00 28
            > 04 10 00 10 00
            < 05 01 10 00 01 28
            > 0A 50 00                 // a 128-bit UUID is read from the declaration
            < 0B AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 01 00 9A 8E
            > 04 50 00 50 00
            < 05 01 50 00 01 28
            """
        )
        #expect(
            outcome
                == .success(
                    .services([
                        self.service(0x1800, 0x0001...0x0005),
                        self.service(0x180F, 0x0010...0x0016, isPrimary: false),
                        self.service(Self.ball, 0x0050...0x0058, isPrimary: false),
                    ])
                )
        )
    }

    @Test(
        "GATT/CL/GAD/BV-03-C Include declarations at the ends of the service, and none at all",
        arguments: [
            // At the last handle, and asked for by itself; at both ends, of services with one handle.
            ("> 08 20 00 21 00 02 28 \n < 09 08 21 00 01 00 05 00 00 18", [0x0001...0x0005]),
            (
                "> 08 20 00 21 00 02 28 \n < 09 08 20 00 01 00 05 00 00 18 \n > 08 21 00 21 00 02 28"
                    + "\n < 01 08 21 00 0A",
                [0x0001...0x0005]
            ),
            (
                "> 08 20 00 21 00 02 28 \n < 09 08 20 00 01 00 05 00 00 18 \n > 08 21 00 21 00 02 28"
                    + "\n < 09 08 21 00 50 00 50 00 00 18", [0x0001...0x0005, 0x0050...0x0050]
            ),
            (
                "> 08 20 00 21 00 02 28 \n < 09 08 20 00 50 00 50 00 00 18 21 00 51 00 51 00 00 18",
                [0x0050...0x0050, 0x0051...0x0051]
            ), ("> 08 20 00 21 00 02 28 \n < 01 08 20 00 0A", []),
        ] as [(String, [AttributeHandleRange])]
    )
    func gadBV03Ends(lines: String, services: [AttributeHandleRange]) {
        // Each service is asked whether it is a primary one.
        let types = services.map { service in
            let handle = "\(octet(Int(service.lowerBound))) 00"
            return "\n > 04 \(handle) \(handle) \n < 05 01 \(handle) 00 28"
        }
        #expect(
            ClientScript.run(.discoverIncludedServices(0x0020...0x0021), lines + types.joined())
                == .success(.services(services.map { self.service(0x1800, $0) }))
        )
    }

    @Test(
        "ends the search for included services with an error for one of their declarations",
        arguments: [("02", .readNotPermitted), ("0A", .attributeNotFound)] as [(String, ATTErrorCode)]
    )
    func includedRefused(code: String, error: ATTErrorCode) {
        let lines = "> 08 20 00 21 00 02 28 \n < 09 06 21 00 50 00 58 00 \n > 0A 50 00 \n < "
        for answer in ["01 0A 50 00", "0B \(hex(octets(16))) \n > 04 50 00 50 00 \n < 01 04 50 00"] {
            #expect(
                ClientScript.run(.discoverIncludedServices(0x0020...0x0021), lines + "\(answer) \(code)")
                    == .failure(.att(error, handle: 0x0050))
            )
        }
    }

    @Test(
        "ends a discovery with an error other than Attribute Not Found",
        arguments: [0x01, 0x05, 0x06, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x11, 0x80, 0xFF] as [UInt8]
    )
    func errors(code: UInt8) {
        let error = GATTError.att(ATTErrorCode(rawValue: code), handle: 0x0001)
        let octet = hex(ByteBuffer(bytes: [code]))
        #expect(
            ClientScript.run(.discoverServices(uuids: nil), "> 10 01 00 FF FF 00 28 \n < 01 10 01 00" + octet)
                == .failure(error)
        )
        #expect(
            ClientScript.run(
                .discoverServices(uuids: [0x180F]),
                "> 06 01 00 FF FF 00 28 0F 18 \n < 01 06 01 00" + octet
            )
                == .failure(error)
        )
        #expect(
            ClientScript.run(
                .discoverIncludedServices(0x0001...0x0009),
                "> 08 01 00 09 00 02 28 \n < 01 08 01 00" + octet
            )
                == .failure(error)
        )
    }

    @Test(
        "Hostile: refuses an answer to Read By Group Type that breaks the rules",
        arguments: [
            "11", "11 06", "11 00 01 00 05 00 00 18", "11 06 01 00 05 00 00", "11 05 01 00 05 00 00",
            "11 08 01 00 05 00 00 18 00 00", "11 06 00 00 05 00 00 18", "11 06 05 00 04 00 00 18",
            "11 06 06 00 09 00 01 18 01 00 05 00 00 18", "11 06 01 00 05 00 00 18 05 00 09 00 01 18",
            "11 06 01 00 FF FF 00 18 02 00 03 00 01 18", "13", "07 01 00 05 00", "01 08 01 00 0A", "01 10 01 00",
        ]
    )
    func hostileGroups(answer: String) {
        #expect(
            ClientScript.run(.discoverServices(uuids: nil), "> 10 01 00 FF FF 00 28 \n < " + answer)
                == .failure(.malformedResponse)
        )
    }

    @Test("Hostile: refuses a second answer that steps back behind the first")
    func hostileStepBack() {
        #expect(
            ClientScript.run(
                .discoverServices(uuids: nil),
                """
                > 10 01 00 FF FF 00 28
                < 11 06 01 00 05 00 00 18
                > 10 06 00 FF FF 00 28
                < 11 06 01 00 05 00 00 18
                """
            ) == .failure(.malformedResponse)
        )
        #expect(
            ClientScript.run(
                .discoverServices(uuids: [0x180F]),
                """
                > 06 01 00 FF FF 00 28 0F 18
                < 07 10 00 16 00
                > 06 17 00 FF FF 00 28 0F 18
                < 07 16 00 18 00
                """
            ) == .failure(.malformedResponse)
        )
    }

    @Test(
        "Hostile: refuses an answer to Find By Type Value that breaks the rules",
        arguments: [
            "07", "07 01 00 05", "07 01 00 05 00 06", "07 00 00 05 00", "07 05 00 04 00", "07 05 00 09 00 09 00 0A 00",
        ]
    )
    func hostileFinds(answer: String) {
        #expect(
            ClientScript.run(.discoverServices(uuids: [0x180F]), "> 06 01 00 FF FF 00 28 0F 18 \n < " + answer)
                == .failure(.malformedResponse)
        )
    }

    @Test(
        "Hostile: refuses an include declaration that breaks the rules",
        arguments: [
            "09 07 21 00 01 00 05 00 00", "09 08 1F 00 01 00 05 00 00 18", "09 08 41 00 01 00 05 00 00 18",
            "09 08 21 00 00 00 05 00 00 18", "09 08 21 00 05 00 04 00 00 18",
            "09 06 22 00 01 00 05 00 22 00 01 00 05 00", "09 08 21 00 01 00",
        ]
    )
    func hostileIncludes(answer: String) {
        #expect(
            ClientScript.run(.discoverIncludedServices(0x0020...0x0040), "> 08 20 00 40 00 02 28 \n < " + answer)
                == .failure(.malformedResponse)
        )
    }

    @Test(
        "Hostile: refuses an included service's declaration that breaks the rules",
        arguments: [
            ("0B AB 89", nil), ("0B", nil), ("0B" + String(repeating: "00", count: 17), nil),
            ("0B" + String(repeating: "00", count: 16), "05 01 51 00 01 28"),
            ("0B" + String(repeating: "00", count: 16), "05 01 50 00 01 28 51 00 01 28"),
            ("0B" + String(repeating: "00", count: 16), "05 03 50 00 01 28"),
        ] as [(String, String?)]
    )
    func hostileDeclarations(read: String, find: String?) {
        let lines = "> 08 20 00 21 00 02 28 \n < 09 06 21 00 50 00 58 00 \n > 0A 50 00 \n <" + read
        #expect(
            ClientScript.run(
                .discoverIncludedServices(0x0020...0x0021),
                find.map { lines + "\n > 04 50 00 50 00 \n <" + $0 } ?? lines
            ) == .failure(.malformedResponse)
        )
    }
}
