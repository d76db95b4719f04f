import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Files of sockets")
struct SocketFileTests {
    /// Makes a file, which stands for that of a socket.
    private static func make(_ path: String) {
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
    }

    #if os(Linux)
    /// How many descriptors of this process are of files in a folder.
    private static func heldCount(in folder: TemporaryFolder) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return file?.hasPrefix(folder.path + "/") == true
        }
    }
    #endif

    @Test("a file is removed once; one that is made at its path later stays")
    func once() throws {
        let folder = try TemporaryFolder()
        Self.make(folder("a"))
        let file = SocketFile(path: folder("a"))
        #expect(folder.content == ["a"])
        file.remove()
        #expect(folder.content == [])
        Self.make(folder("a"))
        file.remove()
        #expect(folder.content == ["a"])
    }

    @Test("another file at the path stays, and so does the file that was moved away")
    func replaced() throws {
        let folder = try TemporaryFolder()
        Self.make(folder("a"))
        let file = SocketFile(path: folder("a"))
        #expect(rename(folder("a"), folder("b")) == 0)
        Self.make(folder("a"))
        file.remove()
        #expect(folder.content == ["a", "b"])
    }

    @Test("of two files each is removed by itself, and one that was not there is none")
    func several() throws {
        let folder = try TemporaryFolder()
        let none = SocketFile(path: folder("none"))
        for name in ["a", "b"] { Self.make(folder(name)) }
        let files = ["a", "b"].map { SocketFile(path: folder($0)) }
        Self.make(folder("none"))
        none.remove()
        files[1].remove()
        #expect(folder.content == ["a", "none"])
        files[0].remove()
        #expect(folder.content == ["none"])
    }

    #if os(Linux)
    @Test("a file is held open until it is removed, whether another one is at its path then or not")
    func held() throws {
        let folder = try TemporaryFolder()
        for isReplaced in [false, true] {
            Self.make(folder("a"))
            let file = SocketFile(path: folder("a"))
            #expect(try Self.heldCount(in: folder) == 1)
            if isReplaced {
                #expect(unlink(folder("a")) == 0)
                Self.make(folder("a"))
            }
            file.remove()
            #expect(try Self.heldCount(in: folder) == 0)
        }
    }
    #endif

    @Test("forgets a removed file, and keeps it if it is back at its path")
    func forgotten() throws {
        let folder = try TemporaryFolder()
        #expect(FileManager.default.createFile(atPath: folder("a"), contents: nil))
        // A second name keeps the file.
        #expect(link(folder("a"), folder("b")) == 0)
        let file = SocketFile(path: folder("a"))
        file.remove()
        #expect(folder.content == ["b"])
        #expect(rename(folder("b"), folder("a")) == 0)
        file.remove()
        #expect(folder.content == ["a"])
    }
}
