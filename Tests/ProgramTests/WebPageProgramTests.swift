import Fixtures
import Foundation
import Testing

@testable import eightball

extension Programs {
    @Suite("eightball web")
    struct WebPageProgramTests {
        let testbed: ProcessTestbed

        init() throws { testbed = try ProcessTestbed() }

        /// A program with a page.
        private struct Page {
            let process: TestProcess
            let port: Int
            let token: String

            init(_ testbed: ProcessTestbed, _ arguments: String...) throws {
                process = try testbed.start("eightball", ["web"] + arguments)
                let parts = try process.line(with: "http://").split(separator: "/")
                token = String(parts[2])
                port = try #require(Int(parts[1].split(separator: ":")[1]))
            }

            /// Sends octets and reads until the program closes the connection, or until a text has come.
            func exchange(_ request: String, until text: String? = nil) throws -> String {
                let socket = try RawSocket(port: port)
                socket.send(Array(request.utf8))
                var answer: [UInt8] = []
                while true {
                    let octets = socket.read(1)
                    answer += octets
                    if octets.isEmpty { break }
                    if octets == [0x0A], let text, String(decoding: answer, as: UTF8.self).contains(text) { break }
                }
                return String(decoding: answer, as: UTF8.self)
            }

            func get(_ path: String, _ fields: String...) throws -> String {
                try exchange("GET /\(token)/\(path) HTTP/1.1\r\n\(head(fields))\r\n")
            }

            func post(_ body: String, _ fields: String...) throws -> String {
                let own = ["Origin: http://127.0.0.1:\(port)", "Content-Type: application/json"]
                let all = head(fields.isEmpty ? own : fields)
                return try exchange(
                    "POST /\(token)/do/en HTTP/1.1\r\n\(all)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
            }

            /// Waits for a document that contains a text.
            func document(with text: String) throws -> String {
                let request = "GET /\(token)/events/en HTTP/1.1\r\n\(head([]))\r\n"
                var document = ""
                // A stream is silent while nothing changes: an attempt ends after a while, and another one begins.
                try eventually("the document with \(text)") {
                    document = (try? exchange(request, until: text)) ?? ""
                    return document.contains(text)
                }
                return document
            }

            private func head(_ fields: [String]) -> String {
                (["Host: 127.0.0.1:\(port)"] + fields).map { $0 + "\r\n" }.joined()
            }
        }

        @Test("A question passes from one page to another, over events and requests")
        func question() throws {
            let ball = try Page(testbed, "--name", "Crystal", "--identity", "ball")
            let asker = try Page(testbed, "--identity", "asker")
            #expect(try ball.post(#"{"do":"role","role":"peripheral"}"#).hasPrefix("HTTP/1.1 200 "))
            _ = try ball.document(with: "“Crystal” is a Magic 8-Ball now")
            #expect(try asker.post(#"{"do":"role","role":"central"}"#).hasSuffix(#"{"hint":null}"#))
            let found = try asker.document(with: #""name":"Crystal""#)
            let start = try #require(found.range(of: #""balls":[{"id":""#, options: .backwards))
            let identifier = found[start.upperBound...].prefix { $0 != "\"" }
            func ask(_ question: String) -> String {
                "{\"do\":\"ask\",\"ball\":\"\(identifier)\",\"question\":\"\(question)\"}"
            }
            #expect(try asker.post(ask("Rain")).hasSuffix(#"{"hint":"a question ends with \"?\""}"#))
            #expect(try ball.post(#"{"do":"byHand","isOn":true}"#).hasPrefix("HTTP/1.1 200 "))
            #expect(try asker.post(ask("Will it rain?")).hasSuffix(#"{"hint":null}"#))
            _ = try ball.document(with: #""open":0"#)
            #expect(try ball.post(#"{"do":"answer","entry":0,"answer":16}"#).hasPrefix("HTTP/1.1 200 "))
            _ = try asker.document(with: #""question":"Will it rain?","words":"My reply is no.""#)
            ball.process.send(SIGTERM)
            #expect(try ball.process.end() == 0)
            _ = try asker.document(with: #""gone":"went offline""#)
            asker.process.send(SIGINT)
            #expect(try asker.process.end() == 130)
        }

        @Test("The page is served with its protection, and requests of others are refused")
        func refusals() throws {
            let page = try Page(testbed)
            let german = try page.get("", "Accept-Language: de-DE,de;q=0.9")
            #expect(german.contains("<html lang=\"de\">") && german.contains("Was möchtest du sein?"))
            for field in [
                "Content-Security-Policy: default-src 'none'", "Referrer-Policy: no-referrer",
                "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
            ] {
                #expect(german.contains("\r\n" + field), "\(field)")
            }
            let role = #"{"do":"role","role":"central"}"#
            let json = "Content-Type: application/json"
            let foreign = "GET /\(page.token)/ HTTP/1.1\r\nHost: example.org\r\n\r\n"
            #expect(try page.exchange(foreign).hasPrefix("HTTP/1.1 421 "))
            let tokenless = "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n"
            #expect(try page.exchange(tokenless).hasPrefix("HTTP/1.1 403 "))
            #expect(try page.post(role, "Origin: http://example.org", json).hasPrefix("HTTP/1.1 403 "))
            #expect(try page.post(role, "Origin: http://127.0.0.1:\(page.port)").hasPrefix("HTTP/1.1 415 "))
            #expect(try page.exchange("rain\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
            _ = try page.document(with: #""role":null"#)
        }

        @Test("The page listens at loopback only")
        func loopback() throws {
            let page = try Page(testbed)
            let digits = String(page.port, radix: 16, uppercase: true)
            let port = ":" + String(repeating: "0", count: 4 - digits.count) + digits
            var addresses: Set<String> = []
            for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
                for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst() {
                    let fields = line.split(separator: " ")
                    // 0A: it listens.
                    guard fields[3] == "0A", fields[1].hasSuffix(port) else { continue }
                    addresses.insert(String(fields[1].dropLast(port.count)))
                }
            }
            #expect(addresses.contains("0100007F"))
            #expect(addresses.isSubset(of: ["0100007F", "00000000000000000000000001000000"]))
        }

        @Test("A port that is taken is reported in one line; after SIGKILL the page is back at its address")
        func port() throws {
            let page = try Page(testbed, "--token", "a-token-of-my-own")
            let other = try testbed.eightball("web", "--port", "\(page.port)", "--identity", "other")
            #expect(try other.end() == 1)
            let line = "eightball: another program uses port \(page.port); choose another one with --port"
            #expect(other.lines.isEmpty && other.errorLines.count == 1 && other.errorLines[0].hasPrefix(line))
            page.process.send(SIGKILL)
            try page.process.end()
            let again = try Page(testbed, "--port", "\(page.port)", "--token", "a-token-of-my-own")
            #expect(again.process.lines == page.process.lines)
            #expect(try again.get("").hasPrefix("HTTP/1.1 200 "))
        }
    }
}
