import BluetoothHCI
import Testing

@testable import BluetoothHost

@Suite("Encryption of a link")
struct LinkEncryptionTests {
    @Test("keeps the key in use if encryption with another key fails")
    func encryptionBefore() {
        let old = LinkSecurity.Key(isAuthenticated: false, isSecureConnections: true)
        let new = LinkSecurity.Key(isAuthenticated: true, isSecureConnections: true)
        var encryption = LinkEncryption()
        encryption.start(old)
        #expect(encryption.inUse == nil && encryption.starting == old)
        let first = encryption.changed(.success, isEnabled: true)
        #expect(first == .started && encryption.inUse == old && encryption.starting == nil)
        encryption.start(new)
        #expect(encryption.inUse == old && encryption.starting == new)
        let failed = encryption.changed(.pinOrKeyMissing, isEnabled: true)
        #expect(failed == .failed && encryption.inUse == old && encryption.starting == nil)
        // An unexpected failure and a refreshed key change nothing.
        let stray = encryption.changed(.pinOrKeyMissing, isEnabled: false)
        let refreshed = encryption.changed(.success, isEnabled: true)
        #expect(stray == .none && refreshed == .none && encryption.inUse == old)
        encryption.start(new)
        let disabled = encryption.changed(.success, isEnabled: false)
        #expect(disabled == .failed && encryption.inUse == nil && encryption.starting == nil)
        let unasked = encryption.changed(.success, isEnabled: true)
        #expect(unasked == .none && encryption.inUse == nil)
    }
}
