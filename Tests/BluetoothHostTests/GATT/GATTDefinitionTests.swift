import Testing

@testable import BluetoothHost

@Suite("GATT definitions")
struct GATTDefinitionTests {
    @Test("adds up permissions, and what they demand")
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

    @Test("combines the key size and the authorization of two requirements")
    func requirements() {
        let sized = SecurityRequirement(level: .encrypted, minimumKeySize: 12)
        let authorized = SecurityRequirement(level: .none, needsAuthorization: true)
        #expect(
            sized.combined(with: authorized)
                == SecurityRequirement(level: .encrypted, minimumKeySize: 12, needsAuthorization: true)
        )
        // LE security mode 1 level 4 knows no shorter key, and no key has other sizes than 7 to 16.
        #expect(SecurityRequirement(level: .secureConnections, minimumKeySize: 7).minimumKeySize == 16)
        #expect(SecurityRequirement(level: .encrypted, minimumKeySize: -3).minimumKeySize == 7)
        #expect(SecurityRequirement(level: .encrypted, minimumKeySize: 300).minimumKeySize == 16)
    }

    @Test("counts the octets of all parts of a write")
    func octetCount() {
        let parts = ["AA", "01 02 03", ""].map { GATTWriteRequest.Part(handle: 0x10, offset: 7, value: hex($0)) }
        #expect(GATTWriteRequest(id: nil, link: LinkID(rawValue: 1), parts: parts).octetCount == 4)
    }

    @Test("names the handle and the error of a refusal")
    func refusal() {
        let error = GATTError.att(.writeNotPermitted, handle: 0x00AB)
        #expect(error.description == "the server refused handle 0x00AB: Write Not Permitted (0x03)")
    }
}
