import Testing

@testable import BluetoothHost

@Suite("GATT definitions")
struct GATTDefinitionTests {
    @Test("combines permissions and their requirements")
    func permissions() {
        let rows: [(AttributePermissions, SecurityRequirement?, SecurityRequirement?)] = [
            ([], nil, nil), (.readable, SecurityRequirement.none, nil), (.writeable, nil, SecurityRequirement.none),
            (.readEncryptionRequired, .encrypted, nil), (.writeEncryptionRequired, nil, .encrypted),
            (.readAuthenticationRequired, .authenticated, nil), (.writeAuthenticationRequired, nil, .authenticated),
            ([.readable, .writeable], SecurityRequirement.none, SecurityRequirement.none),
            (
                [.readAuthenticationRequired, .readEncryptionRequired, .writeable], .authenticated,
                SecurityRequirement.none
            ),
            (
                [.writeAuthenticationRequired, .writeable, .readable, .readEncryptionRequired], .encrypted,
                .authenticated
            ),
        ]
        for (permissions, read, write) in rows {
            #expect(permissions == AttributePermissions(read: read, write: write))
        }
    }
}
