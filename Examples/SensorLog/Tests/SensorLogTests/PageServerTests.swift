// The answers of the page's server, without sockets: the handler of the requests is called. EndToEndTests has the
// sockets.

import FlyingFox
import Foundation
import SensorValues
import Testing

@testable import SensorLog

@Suite struct PageServerTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID().uuidString)").path

    private func withServer(
        listen: String = "8080",
        names: [String] = [],
        _ body: (PageServer, MeasurementStore) async throws -> Void
    ) async throws {
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: self.path + end) } }
        let board = LiveBoard()
        let store = try MeasurementStore(path: self.path) { board.post(.stored) }
        let task = Task { await board.run() }
        defer { task.cancel() }
        let address = try #require(ListenAddress(listen))
        try await body(PageServer(store: store, board: board, listen: address, names: names), store)
    }

    private func request(
        _ path: String,
        query: [String: String] = [:],
        method: HTTPMethod = .GET,
        host: String? = "localhost:8080",
        headers: [HTTPHeader: String] = [:]
    ) -> HTTPRequest {
        var headers = headers
        headers[.host] = host
        let query = query.map { HTTPRequest.QueryItem(name: $0.key, value: $0.value) }
        return HTTPRequest(method: method, version: .http11, path: path, query: query, headers: headers, body: Data())
    }

    @Test func answersThePagesFiles() async throws {
        try await self.withServer { server, _ in
            for (path, type, text) in [
                ("/", "text/html", "<!doctype html>"), ("/page.css", "text/css", ":root"),
                ("/page.js", "text/javascript", "EventSource"), ("/icon.svg", "image/svg+xml", "<svg"),
            ] {
                let response = await server.answer(self.request(path))
                #expect(response.statusCode == .ok)
                #expect(response.headers[.contentType]?.hasPrefix(type) == true)
                #expect(
                    response.headers[HTTPHeader("Content-Security-Policy")]?.hasPrefix("default-src 'none'") == true
                )
                let body = try await response.bodyData
                #expect(String(decoding: body, as: UTF8.self).contains(text))
            }
            #expect(await server.answer(self.request("/etc/passwd")).statusCode == .notFound)
        }
    }

    @Test(arguments: [
        ("8080", "localhost:8080", true), ("8080", "LOCALHOST", true), ("8080", "127.0.0.1:8080", true),
        ("8080", "[::1]:8080", true), ("8080", "evil.example", false), ("8080", "evil.example:8080", false),
        ("8080", "localhost.evil.example", false), ("8080", "192.168.1.5", false), ("8080", "", false),
        ("8080", "proxy.example", true), ("0.0.0.0:80", "192.168.1.5", true), ("0.0.0.0:80", "[fe80::1]:80", true),
        ("0.0.0.0:80", "evil.example", false), ("0.0.0.0:80", "localhost", true), ("[::]:80", "10.0.0.1:80", true),
        ("0.0.0.0:80", "1.2.3.4.evil.example", false), ("0.0.0.0:80", "proxy.example:443", true),
    ])
    func answersOnlyToItsOwnNames(listen: String, host: String, isAnswered: Bool) async throws {
        try await self.withServer(listen: listen, names: ["Proxy.example"]) { server, _ in
            let response = await server.answer(self.request("/", host: host))
            #expect(response.statusCode == (isAnswered ? .ok : .misdirectedRequest))
        }
    }

    @Test func refusesWhatIsNotThePage() async throws {
        try await self.withServer { server, _ in
            #expect(await server.answer(self.request("/", host: nil)).statusCode == .misdirectedRequest)
            for method: HTTPMethod in [.POST, .PUT, .DELETE, HTTPMethod("HEAD"), HTTPMethod("OPTIONS")] {
                #expect(await server.answer(self.request("/", method: method)).statusCode == .methodNotAllowed)
            }
            let site = HTTPHeader("Sec-Fetch-Site")
            for path in ["/history.json", "/events", "/page.js"] {
                let request = self.request(path, query: ["seconds": "60", "after": "0"], headers: [site: "cross-site"])
                #expect(await server.answer(request).statusCode == .forbidden)
            }
            let link = self.request("/", headers: [site: "cross-site", HTTPHeader("Sec-Fetch-Mode"): "navigate"])
            #expect(await server.answer(link).statusCode == .ok)
            for seconds in ["", "x", "0", "-5", "99999999999999999999"] {
                let request = self.request("/history.json", query: ["seconds": seconds])
                #expect(await server.answer(request).statusCode == .badRequest)
            }
            #expect(await server.answer(self.request("/events", query: ["after": "-1"])).statusCode == .badRequest)
        }
    }

    @Test func streamsWhatIsStored() async throws {
        try await self.withServer { server, store in
            let sensor = try store.register(identity: "A", peripheral: UUID(), name: "Kitchen")
            func sample(_ number: UInt32) -> Sample {
                Sample(number: number, milliseconds: 7, temperature: Int16(number), humidity: nil)
            }
            try store.store((1...3).map(sample), of: sensor)
            let response = await server.answer(
                self.request("/events", query: ["after": "0"], headers: [HTTPHeader("Last-Event-ID"): "2"])
            )
            #expect(response.headers[.contentType]?.hasPrefix("text/event-stream") == true)
            guard case .httpBody(let body) = response.payload else { throw CancellationError() }
            var iterator = body.makeAsyncIterator()
            func next(with text: String) async throws -> String {
                while let data = try await iterator.next() {
                    let event = String(decoding: data, as: UTF8.self)
                    if event.contains(text) { return event }
                }
                throw CancellationError()
            }
            // The number that the browser gives comes before that of the address: it has the third one still to get.
            let first = try await next(with: "event: values")
            #expect(first.contains("\"name\":\"Kitchen\""))
            #expect(first.contains("id: 3\n") && !first.contains("\"place\":2"))
            try store.store([sample(4)], of: sensor)
            #expect(try await next(with: "event: values").contains("id: 4\n"))
        }
    }

    @Test func limitsOpenPages() async throws {
        try await self.withServer { server, _ in
            var open: [HTTPResponse] = []
            for _ in 0..<LiveBoard.pageLimit {
                open.append(await server.answer(self.request("/events", query: ["after": "0"])))
            }
            #expect(open.allSatisfy { $0.statusCode == .ok })
            let request = self.request("/events", query: ["after": "0"])
            #expect(await server.answer(request).statusCode == .serviceUnavailable)
            open.removeLast()
            // The board hears of it on another thread.
            let deadline = Date(timeIntervalSinceNow: 60)
            var last = await server.answer(request)
            while last.statusCode != .ok, Date() < deadline {
                await Task.yield()
                last = await server.answer(request)
            }
            #expect(last.statusCode == .ok)
        }
    }

    @Test(arguments: [
        ("8080", "127.0.0.1", true), ("127.0.0.1:1", "127.0.0.1", true), ("[::1]:1", "::1", true),
        ("0.0.0.0:80", "0.0.0.0", false), ("[::]:80", "::", false),
    ])
    func understandsWhereToListen(text: String, address: String, isLoopback: Bool) throws {
        let listen = try #require(ListenAddress(text))
        #expect(listen.address == address)
        #expect(listen.isLoopback == isLoopback)
    }

    @Test(arguments: ["", "x", "99999", "localhost:80", "::1:80", "[::1]", "1.2.3:80", ":80"])
    func refusesWhereNobodyCanListen(text: String) { #expect(ListenAddress(text) == nil) }
}
