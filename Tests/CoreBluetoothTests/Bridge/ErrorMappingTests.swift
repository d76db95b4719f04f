import BluetoothHCI
import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("13.4 Errors of the host as errors of Core Bluetooth")
struct ErrorMappingTests {
    /// The end of a link by reason; all others are `peripheralDisconnected`.
    private static let disconnections: [UInt8: CBError.Code] = [
        0x05: .peerRemovedPairingInformation, 0x06: .peerRemovedPairingInformation, 0x08: .connectionTimeout,
        0x22: .connectionTimeout, 0x28: .connectionTimeout, 0x3D: .encryptionTimedOut, 0x3E: .connectionFailed,
    ]

    /// A connection that failed, by status; all others are `connectionFailed`.
    private static let connectionFailures: [UInt8: CBError.Code] = [
        0x05: .peerRemovedPairingInformation, 0x06: .peerRemovedPairingInformation, 0x07: .connectionLimitReached,
        0x08: .connectionTimeout, 0x09: .connectionLimitReached, 0x0D: .connectionLimitReached,
        0x10: .connectionTimeout, 0x22: .connectionTimeout,
    ]

    /// Advertising that failed, by status; all others are `unknown`.
    private static let advertisingFailures: [UInt8: CBError.Code] = [
        0x07: .outOfSpace, 0x0D: .outOfSpace, 0x11: .invalidParameters, 0x12: .invalidParameters,
    ]

    @Test("6.3 6.5 6.9 11.1 maps every HCI code of a failed link, of its end and of advertising")
    func controllerErrors() {
        for octet in UInt8.min...UInt8.max {
            let code = HCIErrorCode(rawValue: octet)
            let end = CBError.disconnection(code)
            // This side ended the link.
            let expected = octet == 0x16 ? nil : Self.disconnections[octet] ?? .peripheralDisconnected
            #expect(end?.code == expected, "\(octet)")
            let ofProcedure = coreBluetoothError(GATTError.disconnected(code)) as? CBError
            #expect(ofProcedure?.code == expected ?? .peripheralDisconnected, "\(octet)")
            let failure = CBError.connectionFailure(code)
            #expect(failure.code == Self.connectionFailures[octet] ?? .connectionFailed, "\(octet)")
            #expect(failure.localizedDescription == failure.code.sentence)
            let advertising = CBError.advertisingFailure(LEHostError.refused(code))
            #expect(advertising.code == Self.advertisingFailures[octet] ?? .unknown, "\(octet)")
        }
    }

    /// The sentences of 13.4.
    private static let attSentences: [UInt8: String] = [
        // A peer's error 0x00 must not read as a success (B15).
        0: "The request failed with ATT error 0x00, which is none.",
        1: "The handle is invalid.", 2: "Reading is not permitted.", 3: "Writing is not permitted.",
        5: "Authentication is insufficient.", 6: "The request is not supported.",
        10: "The attribute could not be found.", 13: "The value's length is invalid.", 14: "Unlikely error.",
        15: "Encryption is insufficient.",
    ]

    @Test("13.4 keeps the number of every ATT error and describes it")
    func att() throws {
        for code in UInt8.min...UInt8.max {
            let found = coreBluetoothError(GATTError.att(ATTErrorCode(rawValue: code), handle: 1)) as? CBATTError
            let error = try #require(found)
            let bridged = error as any Error as NSError
            #expect(error.code.rawValue == Int(code) && bridged.code == Int(code))
            #expect(bridged.domain == CBATTErrorDomain)
            if let sentence = Self.attSentences[code] ?? (code < 0x12 ? nil : "Unknown ATT error.") {
                #expect(error.localizedDescription == sentence)
            }
            // Foundation's text for an error without a description.
            #expect(!error.localizedDescription.contains("could not be completed"))
        }
    }

    @Test(
        "13.4 describes errors with Apple's sentences",
        arguments: [
            (0, "Unknown error."), (1, "One or more parameters were invalid."),
            (3, "The specified device is not connected."), (6, "The connection has timed out unexpectedly."),
            (7, "The specified device has disconnected from us."),
            (8, "The specified UUID is not allowed for this operation."), (9, "Advertising has already started."),
            (10, "The connection has failed unexpectedly."),
            (11, "The system has reached the maximum number of connections."), (14, "Peer removed pairing information"),
            (15, "Failed to encrypt the connection, the connection has timed out unexpectedly."),
        ]
    )
    func sentence(code: Int, sentence: String) throws {
        let error: any Error = CBError.reported(try #require(CBError.Code(rawValue: code)))
        #expect(error.localizedDescription == sentence)
        #expect((error as NSError).localizedDescription == sentence)
        #expect((error as NSError).code == code)
    }

    @Test("13.4 has another sentence for every CBError code")
    func sentences() {
        #expect(Set((0...20).compactMap { CBError.Code(rawValue: $0)?.sentence }).count == 21)
    }

    @Test("H3: says of a pairing who did not answer")
    func silence() {
        #expect(
            PairingError.userTimedOut.sentence
                == "pairing failed: nobody answered the question at this device within 30 s"
        )
        #expect(PairingError.timedOut.sentence == "pairing failed: the other device did not answer within 30 s")
    }

    @Test(
        "maps failures of procedures",
        arguments: [
            (.notConnected, .notConnected), (.transactionTimeout, .connectionTimeout), (.malformedResponse, .unknown),
            (.reliableWriteMismatch, .unknown), (.pairingTimedOut, .encryptionTimedOut),
            (.encryptionFailed(HCIErrorCode(rawValue: 0x06)), .peerRemovedPairingInformation),
            (.encryptionFailed(HCIErrorCode(rawValue: 0x16)), .encryptionTimedOut),
        ] as [(GATTError, CBError.Code)]
    )
    func procedures(error: GATTError, code: CBError.Code) {
        #expect((coreBluetoothError(error) as? CBError)?.code == code)
    }

    @Test(
        "B13 does not report a failed reading of the strength as a disconnection",
        arguments: [
            (LEHostError.refused(.commandDisallowed), CBError.Code.unknown), (.unanswered, .unknown),
            (.malformedAnswer, .unknown), (.refused(.unknownConnectionIdentifier), .notConnected),
            (.notConnected, .notConnected), (.controllerLost, .peripheralDisconnected),
        ]
    )
    func rssi(error: LEHostError, code: CBError.Code) {
        #expect((coreBluetoothError(error) as? CBError)?.code == code)
    }

    @Test("9.2 maps failures of publishing a service")
    func database() {
        let failures: [(GATTDatabaseError, CBError.Code)] = [
            (.outOfHandles, .outOfSpace), (.handlesInUse, .outOfSpace), (.valueTooLong, .invalidParameters),
            (.unknownIncludedService, .invalidParameters), (.reservedDescriptor, .invalidParameters),
        ]
        for (error, code) in failures { #expect(CBError.databaseFailure(error).code == code) }
    }

    @Test("13.4 sends an app's answer as its octet, or as Unlikely Error if it does not fit")
    func answers() {
        #expect(ATTErrorCode.answer(.success) == nil)
        for code in 1...255 {
            #expect(CBATTError.Code(rawValue: code).flatMap(ATTErrorCode.answer)?.rawValue == UInt8(code))
        }
        for code in [256, 4711, -1] { #expect(ATTErrorCode.answer(.unnamed(code)) == .unlikelyError) }
    }
}
