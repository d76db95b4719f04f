// What a cast between the errors of Core Bluetooth and `NSError` makes: each way of the cast, of an error of the own
// domain, of the other one and of a foreign one.

#if !canImport(Darwin)
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Casts of errors at run time")
struct ErrorBridgingTests {
    private let foreign = NSError(domain: NSCocoaErrorDomain, code: 7)

    @Test("15 an error of Core Bluetooth is cast from its own domain alone, and keeps its code and its text")
    func centralErrors() {
        let source = NSError(domain: CBErrorDomain, code: 7, userInfo: [NSLocalizedDescriptionKey: "Gone."])
        var result: CBError?
        CBError._forceBridgeFromObjectiveC(source, result: &result)
        #expect(result?.code == .peripheralDisconnected && result?.localizedDescription == "Gone.")
        result = nil
        let isBridged = CBError._conditionallyBridgeFromObjectiveC(source, result: &result)
        #expect(isBridged && result?.code == .peripheralDisconnected && result?.localizedDescription == "Gone.")
        for other in [self.foreign, NSError(domain: CBATTErrorDomain, code: 7)] {
            result = nil
            let isOther = CBError._conditionallyBridgeFromObjectiveC(other, result: &result)
            #expect(!isOther && result == nil)
            #expect(CBError._unconditionallyBridgeFromObjectiveC(other).code == .unknown)
        }
        #expect(CBError._unconditionallyBridgeFromObjectiveC(source).code == .peripheralDisconnected)
        #expect(CBError._unconditionallyBridgeFromObjectiveC(nil).code == .unknown)
        let back = CBError(.connectionFailed)._bridgeToObjectiveC()
        #expect(back.domain == CBErrorDomain && back.code == 10)
    }

    @Test("15 an error of the Attribute Protocol is cast from its own domain alone, also one without a name")
    func attributeErrors() {
        for code in [3, 0x80] {
            let source = NSError(domain: CBATTErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: "No."])
            var result: CBATTError?
            CBATTError._forceBridgeFromObjectiveC(source, result: &result)
            #expect(result?.code.rawValue == code && result?.localizedDescription == "No.")
            result = nil
            let isBridged = CBATTError._conditionallyBridgeFromObjectiveC(source, result: &result)
            #expect(isBridged && result?.code.rawValue == code && result?.localizedDescription == "No.")
            #expect(CBATTError._unconditionallyBridgeFromObjectiveC(source).code.rawValue == code)
        }
        for other in [self.foreign, NSError(domain: CBErrorDomain, code: 7)] {
            var result: CBATTError?
            let isOther = CBATTError._conditionallyBridgeFromObjectiveC(other, result: &result)
            #expect(!isOther && result == nil)
            #expect(CBATTError._unconditionallyBridgeFromObjectiveC(other).code == .unlikelyError)
        }
        #expect(CBATTError._unconditionallyBridgeFromObjectiveC(nil).code == .unlikelyError)
        let back = CBATTError(.invalidOffset)._bridgeToObjectiveC()
        #expect(back.domain == CBATTErrorDomain && back.code == 7)
    }
}
#endif
