import Testing

@testable import BluetoothHost

@Suite("ATT error codes")
struct ATTErrorCodeTests {
    @Test("has an octet for each error (Vol 3, Part F, table 3.4; Core Specification Supplement, Part B, 1.2)")
    func octets() {
        let errors: [ATTErrorCode] = [
            .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPDU, .insufficientAuthentication,
            .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
            .attributeNotLong, .encryptionKeySizeTooShort, .invalidAttributeValueLength, .unlikelyError,
            .insufficientEncryption, .unsupportedGroupType, .insufficientResources, .databaseOutOfSync,
            .valueNotAllowed,
        ]
        #expect(errors.map(\.rawValue) == Array(0x01...0x13))
        let common: [ATTErrorCode] = [
            .writeRequestRejected, .cccdImproperlyConfigured, .procedureAlreadyInProgress, .outOfRange,
        ]
        #expect(common.map(\.rawValue) == [0xFC, 0xFD, 0xFE, 0xFF])
    }
}
