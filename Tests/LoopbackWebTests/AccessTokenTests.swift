import Fixtures
import Testing

@testable import LoopbackWeb

@Suite("The token in a page's address")
struct AccessTokenTests {
    @Test("has 128 random bits")
    func random() {
        let tokens = (0..<100).map { _ in AccessToken().text }
        #expect(Set(tokens).count == 100)
        #expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test("accepts 16 to 128 characters that need no escaping in an address")
    func own() {
        #expect(AccessToken("abcdefghijklmno") == nil)
        #expect(AccessToken("abcdefghijklmnop")?.text == "abcdefghijklmnop")
        #expect(AccessToken(String(repeating: "Z9-_", count: 32)) != nil)
        #expect(AccessToken(String(repeating: "Z9-_", count: 32) + "a") == nil)
        for wrong in ["/", "?", "%", " ", "é", "\r\n", "."] {
            #expect(AccessToken("abcdefghijklmnop" + wrong) == nil)
        }
    }

    @Test("refuses a token with one different octet, or of another length")
    func others() throws {
        let secret = Array("abcdefghijklmnop".utf8)
        let token = try #require(AccessToken("abcdefghijklmnop"))
        for octet in 0...127 as ClosedRange<UInt8> {
            for index in secret.indices where secret[index] != octet {
                var octets = secret
                octets[index] = octet
                #expect(!token.matches(String(decoding: octets, as: UTF8.self)))
            }
        }
        let twice = String(decoding: secret + secret, as: UTF8.self)
        for count in 0...32 { #expect(token.matches(twice.prefix(count)) == (count == 16)) }
    }
}
