// What every code of HCI and ATT becomes, written out.

import BluetoothHCI
import BluetoothHost
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.4 Error tables")
struct ErrorTableTests {
    /// The end of a link by reason; all others are `peripheralDisconnected`.
    private static let disconnections: [UInt8: CBError.Code] = [
        0x05: .peerRemovedPairingInformation, 0x06: .peerRemovedPairingInformation, 0x08: .connectionTimeout,
        0x22: .connectionTimeout, 0x28: .connectionTimeout, 0x3D: .encryptionTimedOut, 0x3E: .connectionFailed,
    ]

    /// A connection that did not come about, by status; all others are `connectionFailed`.
    private static let connectionFailures: [UInt8: CBError.Code] = [
        0x05: .peerRemovedPairingInformation, 0x06: .peerRemovedPairingInformation, 0x07: .connectionLimitReached,
        0x08: .connectionTimeout, 0x09: .connectionLimitReached, 0x0D: .connectionLimitReached,
        0x10: .connectionTimeout, 0x22: .connectionTimeout,
    ]

    /// Advertising that could not be started, by status; all others are `unknown`.
    private static let advertisingFailures: [UInt8: CBError.Code] = [
        0x07: .outOfSpace, 0x0D: .outOfSpace, 0x11: .invalidParameters, 0x12: .invalidParameters,
    ]

    @Test("6.5 13.4 every HCI code as the reason of a disconnection", arguments: UInt8.min...UInt8.max)
    func disconnection(code: UInt8) {
        let error = CBError.disconnection(HCIErrorCode(rawValue: code))
        guard code != 0x16 else {
            #expect(error == nil, "this side ended the link")
            return
        }
        #expect(error?.code == Self.disconnections[code] ?? .peripheralDisconnected)
        #expect(error.map { ($0 as any Error as NSError).domain } == CBErrorDomain)
        // A procedure that the end of the link ends has the same error; one that this side ended has one, too.
        let ofProcedure = coreBluetoothError(GATTError.disconnected(HCIErrorCode(rawValue: code))) as? CBError
        #expect(ofProcedure?.code == error?.code)
    }

    @Test("6.3 13.4 every HCI code as the status of a connection that failed", arguments: UInt8.min...UInt8.max)
    func connectionFailure(code: UInt8) {
        let error = CBError.connectionFailure(HCIErrorCode(rawValue: code))
        #expect(error.code == Self.connectionFailures[code] ?? .connectionFailed)
        #expect(error.localizedDescription == Self.connectionFailureSentences[error.code])
    }

    @Test("11.1 13.4 every HCI code as the status of advertising that failed", arguments: UInt8.min...UInt8.max)
    func advertisingFailure(code: UInt8) {
        let error = CBError.advertisingFailure(HCIErrorCode(rawValue: code))
        #expect(error.code == Self.advertisingFailures[code] ?? .unknown)
    }

    @Test("13.4 every ATT code keeps its number and has its sentence", arguments: UInt8.min...UInt8.max)
    func att(code: UInt8) throws {
        let error = try #require(
            coreBluetoothError(GATTError.att(ATTErrorCode(rawValue: code), handle: 1)) as? CBATTError
        )
        #expect(error.code.rawValue == Int(code))
        let bridged = error as any Error as NSError
        #expect(bridged.domain == CBATTErrorDomain)
        #expect(bridged.code == Int(code))
        let sentence = Self.attSentences[code] ?? (code < 0x12 ? nil : "Unknown ATT error.")
        if let sentence { #expect(error.localizedDescription == sentence) }
        // What Foundation says of an error that has no sentence of its own.
        #expect(!error.localizedDescription.contains("could not be completed"))
    }

    private static let connectionFailureSentences: [CBError.Code: String] = [
        .connectionLimitReached: "The system has reached the maximum number of connections.",
        .connectionTimeout: "The connection has timed out unexpectedly.",
        .peerRemovedPairingInformation: "Peer removed pairing information",
        .connectionFailed: "The connection has failed unexpectedly.",
    ]

    /// The sentences of 13.4.
    private static let attSentences: [UInt8: String] = [
        1: "The handle is invalid.", 2: "Reading is not permitted.", 3: "Writing is not permitted.",
        5: "Authentication is insufficient.", 6: "The request is not supported.",
        10: "The attribute could not be found.", 13: "The value's length is invalid.", 14: "Unlikely error.",
        15: "Encryption is insufficient.",
    ]

    @Test(
        "13.4 the sentences of CBError",
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

    @Test("13.4 every CBError code has a sentence of its own")
    func sentences() {
        let sentences = (0...20).compactMap { CBError.Code(rawValue: $0)?.sentence }
        #expect(sentences.count == 21)
        #expect(Set(sentences).count == 21)
    }

    @Test("13.4 what an app answers with reaches the peer as its octet, and success as none")
    func answers() {
        #expect(ATTErrorCode.answer(.success) == nil)
        for code in 1...255 {
            #expect(CBATTError.Code(rawValue: code).flatMap(ATTErrorCode.answer)?.rawValue == UInt8(code))
        }
        for code in [256, 4711, -1] {
            #expect(ATTErrorCode.answer(.unnamed(code)) == .unlikelyError)
        }
    }

    @Test("13.4 failures that are no codes of the protocol")
    func others() {
        #expect((coreBluetoothError(GATTError.notConnected) as? CBError)?.code == .notConnected)
        #expect((coreBluetoothError(GATTError.transactionTimeout) as? CBError)?.code == .connectionTimeout)
        #expect((coreBluetoothError(GATTError.malformedResponse) as? CBError)?.code == .unknown)
        #expect((coreBluetoothError(GATTError.reliableWriteMismatch) as? CBError)?.code == .unknown)
        #expect(CBError.databaseFailure(.outOfHandles).code == .outOfSpace)
        #expect(CBError.databaseFailure(.valueTooLong).code == .invalidParameters)
        #expect(CBError.databaseFailure(.unknownIncludedService).code == .invalidParameters)
        #expect(CBError.databaseFailure(.reservedDescriptor).code == .invalidParameters)
    }
}
