// The page: what is measured, for a browser. It is read-only: nothing can be changed from it.

import FlyingFox
import FlyingSocks
import Foundation

/// Serves the page.
package struct PageServer: Sendable {
    private let store: MeasurementStore
    private let board: LiveBoard
    private let check: RequestCheck
    private let listen: ListenAddress

    /// A page.
    ///
    /// - Parameters:
    ///   - store: The measurements that it shows.
    ///   - board: The live part of it.
    ///   - listen: Where it is served.
    ///   - names: Further names by which it is reached.
    package init(store: MeasurementStore, board: LiveBoard, listen: ListenAddress, names: [String] = []) {
        self.store = store
        self.board = board
        self.listen = listen
        self.check = RequestCheck(listen: listen, names: names)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter isReady: Gets the page's address.
    /// - Throws: The error that keeps it from listening, such as a port that is in use.
    package func run(isReady: @escaping @Sendable (String) -> Void) async throws {
        let server = HTTPServer(config: try self.configuration, handler: ClosureHTTPHandler { await self.answer($0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask {
                try await server.waitUntilListening()
                var port = self.listen.port
                switch await server.listeningAddress {
                case .ip4(_, let actual), .ip6(_, let actual): port = actual
                case .unix, nil: break
                }
                let isAny = self.listen.address == "0.0.0.0" || self.listen.address == "::"
                let host = isAny ? ProcessInfo.processInfo.hostName : self.listen.address
                isReady("http://\(host.contains(":") ? "[\(host)]" : host):\(port)/")
            }
            // A line that says nothing, every ten seconds, to find out which pages are gone.
            group.addTask {
                while true {
                    try await Task.sleep(for: .seconds(10))
                    self.board.post(.beat)
                }
            }
            try await group.waitForAll()
        }
    }

    private var configuration: HTTPServer.Configuration {
        get throws {
            if self.listen.address.contains(":") {
                try HTTPServer.Configuration(
                    address: .inet6(ip6: self.listen.address, port: self.listen.port),
                    logger: .disabled
                )
            } else {
                try HTTPServer.Configuration(
                    address: .inet(ip4: self.listen.address, port: self.listen.port),
                    logger: .disabled
                )
            }
        }
    }

    // MARK: Answers

    /// The answer to a request.
    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        if let status = self.check.refusal(of: request) { return self.response(status) }
        do {
            switch request.path {
            case "/": return self.file(PackageResources.page_html, "text/html; charset=utf-8")
            case "/page.css": return self.file(PackageResources.page_css, "text/css; charset=utf-8")
            case "/page.js": return self.file(PackageResources.page_js, "text/javascript; charset=utf-8")
            case "/icon.svg": return self.file(PackageResources.icon_svg, "image/svg+xml")
            case "/history.json": return try self.history(request)
            case "/events": return await self.events(request)
            default: return self.response(.notFound)
            }
        } catch {
            return self.response(.internalServerError)
        }
    }

    private func history(_ request: HTTPRequest) throws -> HTTPResponse {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        guard let seconds = Int64(request.query["seconds"] ?? ""), (60...40_000_000).contains(seconds) else {
            return self.response(.badRequest)
        }
        let history = try self.store.history(since: now - seconds * 1000, until: now + 60_000, points: 400)
        return self.response(.ok, "application/json", HTTPBodySequence(data: try PageDocuments.encode(history)))
    }

    private func events(_ request: HTTPRequest) async -> HTTPResponse {
        let text = request.headers[HTTPHeader("Last-Event-ID")] ?? request.query["after"]
        guard let place = Int64(text ?? ""), place >= 0 else { return self.response(.badRequest) }
        guard let page = await self.board.open() else { return self.response(.serviceUnavailable) }
        let stream = EventStream(store: self.store, board: self.board, page: page, place: place)
        return self.response(.ok, "text/event-stream; charset=utf-8", HTTPBodySequence(from: stream))
    }

    private func file(_ octets: [UInt8], _ type: String) -> HTTPResponse {
        self.response(.ok, type, HTTPBodySequence(data: Data(octets)))
    }

    private func response(_ status: HTTPStatusCode) -> HTTPResponse {
        self.response(
            status,
            "text/plain; charset=utf-8",
            HTTPBodySequence(data: Data("\(status.code) \(status.phrase)\n".utf8))
        )
    }

    private func response(_ status: HTTPStatusCode, _ type: String, _ body: HTTPBodySequence) -> HTTPResponse {
        var headers = Self.protectiveHeaders
        headers[.contentType] = type
        if status == .methodNotAllowed { headers[HTTPHeader("Allow")] = "GET" }
        return HTTPResponse(statusCode: status, headers: headers, body: body)
    }

    /// Run nothing but the page's own files, put the page in no frame, and keep nothing.
    private static let protectiveHeaders: HTTPHeaders = [
        HTTPHeader("Cache-Control"): "no-store",
        HTTPHeader("Content-Security-Policy"):
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
        HTTPHeader("Referrer-Policy"): "no-referrer",
        HTTPHeader("X-Content-Type-Options"): "nosniff",
    ]
}
