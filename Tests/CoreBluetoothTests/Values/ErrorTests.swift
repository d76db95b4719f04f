import CoreBluetooth
import Testbed
import Testing

@Suite("CBError and CBATTError")
struct ErrorTests {
    private func fail(_ error: any Error) throws { throw error }

    @Test("15 `as?`, `catch` and `switch` over an erased error")
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
    }

    @Test("15 `switch` over a value of the type")
    func switches() {
        let error = CBATTError(.unlikelyError)
        var seen = ""
        switch error {
        case CBATTError.invalidHandle: seen = "handle"
        case CBATTError.unlikelyError: seen = "unlikely"
        default: seen = "nothing"
        }
        #expect(seen == "unlikely")
        switch error.code {
        case .unlikelyError: seen = "code"
        default: seen = "nothing"
        }
        #expect(seen == "code")
    }

    @Test("15 the same error as an NSError")
    func bridged() {
        let error: any Error = CBError(.connectionFailed, userInfo: [NSLocalizedDescriptionKey: "Gone."])
        let nsError = error as NSError
        #expect(nsError.domain == "CBErrorDomain")
        #expect(nsError.code == 10)
        #expect(nsError.localizedDescription == "Gone.")
        #expect(error.localizedDescription == "Gone.")
        #expect(CBError.errorDomain == CBErrorDomain)
        #expect(CBError(.connectionFailed) == CBError(.connectionFailed))
        #expect(CBError(.connectionFailed) != CBError(.connectionTimeout))
    }

    @Test("15 casts to NSError and back, also at run time")
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
    }

    @Test("13.5 the old spelling is the same code")
    func unknownDevice() {
        // The old spelling is deprecated, in the table of ParityTests.
        #expect(CBError.unknownDevice == CBError.Code.unknownDevice)
        #expect(CBError.Code.unknownDevice.rawValue == 12)
        #expect(CBError(.unknownDevice).errorCode == 12)
    }

    @Test("13.4 codes of applications are kept")
    func applicationCodes() {
        let code = CBATTError.Code(rawValue: 0x80)
        #expect(code?.rawValue == 0x80)
        #expect(CBATTError.Code(rawValue: 14) == .unlikelyError)
        #expect(CBATTError.Code(rawValue: 0) == .success)
        #expect(CBATTError.Code.unnamed(14) == .unlikelyError)
        let error: any Error = CBATTError(_nsError: NSError(domain: CBATTErrorDomain, code: 0x80))
        #expect((error as? CBATTError)?.code.rawValue == 0x80)
        #expect((error as NSError).code == 0x80)
        #expect(CBError(_nsError: NSError(domain: CBErrorDomain, code: 4711)).code == .unknown)
    }

    @Test("every ATT code has its number")
    func attCodes() {
        let codes: [CBATTError.Code] = [
            CBATTError.success, CBATTError.invalidHandle, CBATTError.readNotPermitted, CBATTError.writeNotPermitted,
            CBATTError.invalidPdu, CBATTError.insufficientAuthentication, CBATTError.requestNotSupported,
            CBATTError.invalidOffset, CBATTError.insufficientAuthorization, CBATTError.prepareQueueFull,
            CBATTError.attributeNotFound, CBATTError.attributeNotLong, CBATTError.insufficientEncryptionKeySize,
            CBATTError.invalidAttributeValueLength, CBATTError.unlikelyError, CBATTError.insufficientEncryption,
            CBATTError.unsupportedGroupType, CBATTError.insufficientResources,
        ]
        #expect(codes.map(\.rawValue) == Array(0...17))
        #expect(codes == (0...17).map { CBATTError.Code(rawValue: $0) })
    }

    @Test("every CBError code has its number")
    func codes() {
        let codes: [CBError.Code] = [
            CBError.unknown, CBError.invalidParameters, CBError.invalidHandle, CBError.notConnected,
            CBError.outOfSpace, CBError.operationCancelled, CBError.connectionTimeout, CBError.peripheralDisconnected,
            CBError.uuidNotAllowed, CBError.alreadyAdvertising, CBError.connectionFailed,
            CBError.connectionLimitReached, CBError.unknownDevice, CBError.operationNotSupported,
            CBError.peerRemovedPairingInformation, CBError.encryptionTimedOut, CBError.tooManyLEPairedDevices,
            CBError.leGattExceededBackgroundNotificationLimit, CBError.leGattNearBackgroundNotificationLimit,
            CBError.channelSoundingConfigurationFailed, CBError.channelSoundingProcedureFailed,
        ]
        #expect(codes.map(\.rawValue) == Array(0...20))
    }
}
