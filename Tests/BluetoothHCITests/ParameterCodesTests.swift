// The numbers of parameters of connections, as the specification assigns them.

import BluetoothHCI
import Testing

@Suite("Parameter codes")
struct ParameterCodesTests {
    @Test("versions of the Core Specification (Assigned Numbers, 2.1)")
    func versions() {
        let versions: [CoreVersion] = [
            .v4_0, .v4_1, .v4_2, .v5_0, .v5_1, .v5_2, .v5_3, .v5_4, .v6_0, .v6_1, .v6_2,
        ]
        #expect(versions.map(\.rawValue) == Array(0x06...0x10))
    }

    @Test("links, keys, privacy modes and codings (Vol 4, Part E, 7.7.26, 7.8.37, 7.8.49 and 7.8.77)")
    func others() {
        #expect([LinkType.synchronous, .acl, .isochronous].map(\.rawValue) == [0, 1, 2])
        #expect([P256KeyType.generated, .debug].map(\.rawValue) == [0, 1])
        #expect([PrivacyMode.network, .device].map(\.rawValue) == [0, 1])
        #expect([PHYOptions.noPreference, .prefersS2, .prefersS8].map(\.rawValue) == [0, 1, 2])
    }
}
