import Foundation
import Testing

@testable import BlueEar

@Suite("Digits of a lock and its key")
struct ChallengeResponseTests {
    @Test("converts octets to two digits and back")
    func octets() {
        for octet in UInt8.min...UInt8.max {
            let text = ChallengeResponse.text(Data([octet]))
            #expect(text.utf8.count == 2 && UInt8(text, radix: 16) == octet)
            #expect(ChallengeResponse.octets(text) == Data([octet]))
            #expect(ChallengeResponse.octets(text.uppercased()) == Data([octet]))
        }
        #expect(ChallengeResponse.text(Data()) == "" && ChallengeResponse.octets("") == Data())
    }

    @Test("rejects a character that is not a digit")
    func signs() {
        for code in UInt8(0)..<128 {
            let sign = String(UnicodeScalar(code))
            let isDigit = "0123456789abcdefABCDEF".contains(sign)
            #expect((ChallengeResponse.octets(sign + "0") != nil) == isDigit, "\(code)")
            #expect((ChallengeResponse.octets("0" + sign) != nil) == isDigit, "\(code)")
            #expect(ChallengeResponse.octets(sign) == nil, "\(code)")
        }
        #expect(ChallengeResponse.octets("é") == nil)
    }

    @Test("reads at most 128 digits", arguments: [126, 128, 130])
    func length(count: Int) {
        let octets = ChallengeResponse.octets(String(repeating: "a", count: count))
        #expect(octets?.count == (count <= 128 ? count / 2 : nil))
        #expect(ChallengeResponse.octets(String(repeating: "a", count: count - 1)) == nil)
    }

    @Test("accepts only the whole response to the challenge under the secret")
    func responses() {
        var generator = SeededNumbers(1)
        let first = ChallengeResponse.makeChallenge(using: &generator)
        let second = ChallengeResponse.makeChallenge(using: &generator)
        #expect(first.count == 16 && second.count == 16 && first != second)
        let response = ChallengeResponse.response(to: first, secret: "sesame")
        #expect(response.count == 32)
        #expect(ChallengeResponse.isResponse(response, to: first, secret: "sesame"))
        #expect(!ChallengeResponse.isResponse(response, to: second, secret: "sesame"))
        #expect(!ChallengeResponse.isResponse(response, to: first, secret: "Sesame"))
        #expect(!ChallengeResponse.isResponse(response.dropLast(), to: first, secret: "sesame"))
        #expect(!ChallengeResponse.isResponse(Data(), to: first, secret: "sesame"))
    }

    @Test("computes the documented HMAC")
    func response() {
        let response = ChallengeResponse.response(to: Data(0..<16), secret: "sesame")
        // Computed by another implementation from "BlueEar lock 1" and the challenge under the key "sesame".
        #expect(ChallengeResponse.text(response) == "d5cc2476279c69203673b33157b3e121643927c8c3955892e41936434b2b1b3e")
    }
}
