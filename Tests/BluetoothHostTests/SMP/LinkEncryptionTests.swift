import BluetoothHCI
import Fixtures
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
        // A failure that nobody awaits and a refreshed key change nothing.
        let stray = encryption.changed(.pinOrKeyMissing, isEnabled: false)
        let refreshed = encryption.changed(.success, isEnabled: true)
        #expect(stray == .none && refreshed == .none && encryption.inUse == old)
        encryption.start(new)
        let disabled = encryption.changed(.success, isEnabled: false)
        #expect(disabled == .failed && encryption.inUse == nil && encryption.starting == nil)
        let unasked = encryption.changed(.success, isEnabled: true)
        #expect(unasked == .none && encryption.inUse == nil)
    }

    private static let start = "secure encrypted \n ? encrypt 00112233445566778899AABBCCDDEEFF 0000 0000000000000000"

    @Test("is not encrypted after the link's end, and keeps the bond")
    func linkEnds() {
        let script = runAsCentral(bond: SecurityManagerTests.bond(.encrypted)) {
            "\(Self.start) \n encrypted \n ? security encrypted 16 bonded \n end"
        }
        #expect(script.manager.security == LinkSecurity(key: nil, isBonded: true))
    }

    @Test("is not being encrypted after the link's end")
    func linkEndsWhileStarting() {
        var script = runAsCentral(bond: SecurityManagerTests.bond(.encrypted)) { Self.start }
        #expect(script.manager.isSecuring)
        script.run("end")
        #expect(!script.manager.isSecuring && script.manager.encryption.starting == nil)
    }
}
