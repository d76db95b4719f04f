// Core Bluetooth's errors as client code casts, catches and bridges them.

import Testing

@testable import CoreBluetooth

@Suite("CBError and CBATTError")
struct ErrorTests {
    private func fail(_ error: any Error) throws { throw error }

    @Test("15 matches a thrown error in casts, catch clauses and switches")
    func casts() {
        let error: any Error = CBATTError(.unlikelyError)
        #expect((error as? CBATTError)?.code == .unlikelyError)
        #expect(error as? CBError == nil)
        do {
            try self.fail(error)
        } catch CBATTError.invalidOffset {
            Issue.record("the wrong case")
        } catch CBATTError.unlikelyError {
        } catch {
            Issue.record("no case")
        }
        var seen = ""
        switch error {
        case CBError.unknown: seen = "CBError"
        case CBATTError.unlikelyError: seen = "unlikely"
        default: seen = "nothing"
        }
        #expect(seen == "unlikely")
        switch CBATTError(.unlikelyError) {
        case CBATTError.invalidHandle: seen = "handle"
        case CBATTError.unlikelyError: seen = "value"
        default: seen = "nothing"
        }
        #expect(seen == "value")
    }

    @Test("15 bridges an error to NSError with its domain, code and text")
    func bridged() {
        let error: any Error = CBError(.connectionFailed, userInfo: [NSLocalizedDescriptionKey: "Gone."])
        let nsError = error as NSError
        #expect(nsError.domain == "CBErrorDomain" && CBError.errorDomain == CBErrorDomain)
        #expect(nsError.code == 10 && nsError.localizedDescription == "Gone.")
        #expect(error.localizedDescription == "Gone.")
        #expect(CBError(.connectionFailed) == CBError(.connectionFailed))
        #expect(CBError(.connectionFailed) != CBError(.connectionTimeout))
    }

    @Test("15 casts to NSError and back at run time")
    func castsOfNSErrors() {
        let error: any Error = CBError(.connectionFailed)
        #expect((error as Any as? NSError)?.code == 10)
        do {
            try self.fail(error)
        } catch let error as NSError {
            #expect(error.domain == CBErrorDomain)
        } catch {
            Issue.record("not an NSError")
        }
        let bare: any Error = NSError(domain: CBATTErrorDomain, code: 0x80)
        #expect((bare as? CBATTError)?.code == .unnamed(0x80))
        #expect(bare as? CBError == nil)
        #expect(NSError(domain: NSCocoaErrorDomain, code: 1) as any Error as? CBATTError == nil)
        let own: any Error = NSError(domain: CBErrorDomain, code: 7, userInfo: [NSLocalizedDescriptionKey: "Gone."])
        #expect((own as? CBError)?.code == .peripheralDisconnected)
        #expect((own as? CBError)?.localizedDescription == "Gone.")
        #expect(own as? CBATTError == nil)
    }

    #if !canImport(Darwin)
    @Test("15 bridges an error of another domain, or none, to the unknown code")
    func otherDomains() {
        let foreign = NSError(domain: NSCocoaErrorDomain, code: 7)
        for error in [foreign, NSError(domain: CBATTErrorDomain, code: 7), nil] {
            #expect(CBError._unconditionallyBridgeFromObjectiveC(error).code == .unknown)
        }
        for error in [foreign, NSError(domain: CBErrorDomain, code: 7), nil] {
            #expect(CBATTError._unconditionallyBridgeFromObjectiveC(error).code == .unlikelyError)
        }
        let (link, att) = (NSError(domain: CBErrorDomain, code: 7), NSError(domain: CBATTErrorDomain, code: 0x80))
        #expect(CBError._unconditionallyBridgeFromObjectiveC(link).code == .peripheralDisconnected)
        #expect(CBATTError._unconditionallyBridgeFromObjectiveC(att).code == .unnamed(0x80))
    }
    #endif

    @Test("13.4 keeps the codes of applications")
    func applicationCodes() {
        #expect(CBATTError.Code(rawValue: 0x80)?.rawValue == 0x80)
        #expect(CBATTError.Code(rawValue: 14) == .unlikelyError && CBATTError.Code.unnamed(14) == .unlikelyError)
        #expect(CBATTError.Code(rawValue: 0) == .success)
        #expect(CBError(_nsError: NSError(domain: CBErrorDomain, code: 4711)).code == .unknown)
        // The old spelling, which is deprecated.
        #expect(CBError.unknownDevice == CBError.Code.unknownDevice && CBError(.unknownDevice).errorCode == 12)
    }
}
