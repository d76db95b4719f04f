import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Socket files")
struct SocketFileTests {
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    /// Creates a file, which stands for that of a socket.
    private func make(_ name: String) {
        #expect(FileManager.default.createFile(atPath: self.folder(name), contents: nil))
    }

    @Test("removes each file once; one that was missing, or is created at its path later, stays")
    func once() throws {
        let none = SocketFile(path: self.folder("none"))
        for name in ["a", "b"] { self.make(name) }
        let files = ["a", "b"].map { SocketFile(path: self.folder($0)) }
        self.make("none")
        none.remove()
        files[1].remove()
        #expect(self.folder.content == ["a", "none"])
        files[0].remove()
        #expect(self.folder.content == ["none"])
        self.make("a")
        files[0].remove()
        #expect(self.folder.content == ["a", "none"])
    }

    @Test("keeps another file at the path, the file that was moved away, and one that is back after removal")
    func replaced() throws {
        self.make("a")
        // A second name keeps the file.
        #expect(link(self.folder("a"), self.folder("second")) == 0)
        let file = SocketFile(path: self.folder("a"))
        file.remove()
        #expect(rename(self.folder("second"), self.folder("a")) == 0)
        file.remove()
        #expect(self.folder.content == ["a"])
        let later = SocketFile(path: self.folder("a"))
        #expect(rename(self.folder("a"), self.folder("b")) == 0)
        self.make("a")
        later.remove()
        #expect(self.folder.content == ["a", "b"])
    }

    #if os(Linux)
    @Test(
        "keeps a file open until it is removed, even if another one is at its path",
        arguments: [false, true]
    )
    func held(isReplaced: Bool) throws {
        self.make("a")
        let file = SocketFile(path: self.folder("a"))
        #expect(try self.folder.openDescriptorCount() == 1)
        if isReplaced {
            #expect(unlink(self.folder("a")) == 0)
            self.make("a")
        }
        file.remove()
        #expect(try self.folder.openDescriptorCount() == 0)
    }
    #endif
}
