// The security that a service requires of a link, and refusals without it (Vol 3, Part C, 10.2 and 10.3).

import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Link security")
struct LinkSecurityTests {
    @Test("requires a key of 7 to 16 octets, and of 16 at level 4 (Vol 3, Part H, 2.3.4)")
    func keySizes() {
        for (wanted, size) in [(0, 7), (6, 7), (7, 7), (8, 8), (15, 15), (16, 16), (17, 16)] {
            for level in [SecurityLevel.encrypted, .authenticated] {
                #expect(SecurityRequirement(level: level, minimumKeySize: wanted).minimumKeySize == size)
            }
            #expect(SecurityRequirement(level: .secureConnections, minimumKeySize: wanted).minimumKeySize == 16)
        }
    }

    @Test("combines two requirements to the stricter one of each kind")
    func combined() {
        let low = SecurityRequirement(level: .encrypted, minimumKeySize: 8)
        let others = [
            SecurityRequirement(level: .authenticated, minimumKeySize: 8),
            SecurityRequirement(level: .encrypted, minimumKeySize: 9),
            SecurityRequirement(level: .encrypted, minimumKeySize: 8, needsAuthorization: true),
        ]
        for other in others {
            #expect(low.combined(with: other) == other)
            #expect(other.combined(with: low) == other)
        }
        #expect(low.combined(with: low) == low)
        #expect(SecurityRequirement.none.combined(with: .secureConnections) == .secureConnections)
    }

    @Test("derives the missing security from each refusal, in ATT and in L2CAP")
    func refusals() {
        let attErrors: [ATTErrorCode: SecurityShortfall] = [
            .insufficientAuthentication: .authentication, .insufficientEncryption: .encryption,
            .encryptionKeySizeTooShort: .encryptionKeySize, .insufficientAuthorization: .authorization,
        ]
        for raw in UInt8.min...UInt8.max {
            #expect(SecurityShortfall(ATTErrorCode(rawValue: raw)) == attErrors[ATTErrorCode(rawValue: raw)])
        }
        let results: [L2CAPConnectionResult: SecurityShortfall] = [
            .insufficientAuthentication: .authentication, .insufficientEncryption: .encryption,
            .encryptionKeySizeTooShort: .encryptionKeySize, .insufficientAuthorization: .authorization,
        ]
        for raw in UInt16.min...0x20 {
            let result = L2CAPConnectionResult(rawValue: raw)
            #expect(SecurityShortfall(result) == results[result])
        }
    }
}
