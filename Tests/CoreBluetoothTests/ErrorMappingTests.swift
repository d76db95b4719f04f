import BluetoothHCI
import BluetoothHost
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Error mapping")
struct ErrorMappingTests {
    @Test(
        "6.5 reasons of a disconnection",
        arguments: [
            (0x08, CBError.Code.connectionTimeout), (0x22, .connectionTimeout), (0x13, .peripheralDisconnected),
            (0x15, .peripheralDisconnected), (0x3E, .connectionFailed), (0x3D, .encryptionTimedOut),
            (0x06, .peerRemovedPairingInformation), (0xEE, .peripheralDisconnected),
        ] as [(UInt8, CBError.Code)]
    )
    func disconnections(reason: UInt8, code: CBError.Code) {
        #expect(CBError.disconnection(HCIErrorCode(rawValue: reason))?.code == code)
    }

    @Test("6.4 an end that this side asked for is no error")
    func ownDisconnection() {
        #expect(CBError.disconnection(HCIErrorCode(rawValue: 0x16)) == nil)
    }

    @Test("6.9 the limit of connections")
    func limit() {
        #expect(CBError.connectionFailure(HCIErrorCode(rawValue: 0x09)).code == .connectionLimitReached)
        #expect(CBError.connectionFailure(HCIErrorCode(rawValue: 0x3E)).code == .connectionFailed)
    }

    @Test("13.4 sentences of CBError")
    func sentences() {
        #expect(
            CBError.reported(.connectionTimeout).localizedDescription == "The connection has timed out unexpectedly."
        )
        let error: any Error = CBError.reported(.peripheralDisconnected)
        #expect(error.localizedDescription == "The specified device has disconnected from us.")
        #expect((error as NSError).localizedDescription == "The specified device has disconnected from us.")
        #expect(CBError.reported(.alreadyAdvertising).localizedDescription == "Advertising has already started.")
    }

    @Test("13.4 ATT errors keep their code and say their sentence")
    func attErrors() {
        for code in UInt8.min...UInt8.max {
            let error = coreBluetoothError(.att(ATTErrorCode(rawValue: code), handle: 3))
            #expect((error as NSError).domain == CBATTErrorDomain)
            #expect((error as NSError).code == Int(code))
        }
        #expect(
            coreBluetoothError(.att(.writeNotPermitted, handle: 1)).localizedDescription == "Writing is not permitted."
        )
        #expect(
            coreBluetoothError(.att(ATTErrorCode(rawValue: 0x80), handle: 1)).localizedDescription
                == "Unknown ATT error."
        )
    }

    @Test("B15: ATT error code 0x00 of a peer does not read as a success")
    func reservedCode() {
        let error = coreBluetoothError(.att(ATTErrorCode(rawValue: 0), handle: 1))
        #expect(error.localizedDescription == "The request failed with ATT error 0x00, which is none.")
    }

    @Test("failures of procedures that are not of the protocol")
    func gattErrors() {
        #expect((coreBluetoothError(GATTError.notConnected) as? CBError)?.code == .notConnected)
        #expect((coreBluetoothError(.transactionTimeout) as? CBError)?.code == .connectionTimeout)
        let lost = coreBluetoothError(.disconnected(HCIErrorCode(rawValue: 0x08)))
        #expect((lost as? CBError)?.code == .connectionTimeout)
        let own = coreBluetoothError(.disconnected(HCIErrorCode(rawValue: 0x16)))
        #expect((own as? CBError)?.code == .peripheralDisconnected)
    }

    @Test(
        "B13 an RSSI that could not be read is no disconnection",
        arguments: [
            (LEHostError.refused(.commandDisallowed), CBError.Code.unknown), (.unanswered, .unknown),
            (.malformedAnswer, .unknown), (.refused(.unknownConnectionIdentifier), .notConnected),
            (.notConnected, .notConnected), (.controllerLost, .peripheralDisconnected),
        ]
    )
    func rssi(error: LEHostError, code: CBError.Code) {
        #expect((coreBluetoothError(error) as? CBError)?.code == code)
    }

    @Test("answers of an app become ATT codes")
    func answers() {
        #expect(ATTErrorCode.answer(.success) == nil)
        #expect(ATTErrorCode.answer(.unlikelyError) == .unlikelyError)
        #expect(ATTErrorCode.answer(.unnamed(0x80))?.rawValue == 0x80)
        #expect(ATTErrorCode.answer(.unnamed(0x1234)) == .unlikelyError)
    }
}
