// Why an adapter is unavailable and which commands change that, over folders that look like the kernel's.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Why an adapter is unavailable to a program")
struct AdapterUnavailableTests {
    /// A folder of processes.
    struct Processes {
        let folder: TemporaryFolder
        var listing: ProcessListing { ProcessListing(folder: self.folder.path) }

        init() throws { self.folder = try TemporaryFolder() }

        func write(_ file: String, _ text: String) throws {
            try self.makeFolder((file as NSString).deletingLastPathComponent)
            try Data(text.utf8).write(to: URL(fileURLWithPath: self.folder(file)))
        }

        private func makeFolder(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: self.folder(name), withIntermediateDirectories: true)
        }

        func add(_ number: Int, _ name: String, state: String = "S", sockets: [Int] = []) throws {
            try self.write("\(number)/comm", name + "\n")
            try self.write("\(number)/stat", "\(number) (\(name)) \(state) 1 2 3\n")
            for (descriptor, socket) in sockets.enumerated() {
                try self.makeFolder("\(number)/fd")
                try FileManager.default.createSymbolicLink(
                    atPath: self.folder("\(number)/fd/\(descriptor + 3)"),
                    withDestinationPath: "socket:[\(socket)]"
                )
            }
        }

        func setSockets(_ inodes: [Int]) throws {
            let head = "sk               RefCnt Rmem   Wmem   User   Inode  Parent\n"
            let rows = inodes.map { "0000000000000000 2      0      0      0      \($0)  0     \n" }
            try self.write("net/hci", head + rows.joined())
        }
    }

    private func adapter(
        isUp: Bool?,
        isManaged: Bool? = nil,
        block: AdapterListing.Block = .none
    ) -> AdapterListing.Adapter {
        AdapterListing.Adapter(
            index: 0,
            address: nil,
            bus: "USB",
            driver: "btusb",
            product: nil,
            isUp: isUp,
            isManaged: isManaged,
            block: block
        )
    }

    @Test("A process has a name, and is stopped or not, whatever its name looks like")
    func processes() throws {
        let processes = try Processes()
        try processes.add(12, "eightball")
        try processes.add(13, "a) T (b", state: "S")
        try processes.add(14, "x) S", state: "T")
        let listing = processes.listing
        #expect(listing.process(12).description == "eightball (process 12)")
        #expect(listing.process(99).description == "process 99")
        #expect(listing.processes(named: "eightball").map(\.number) == [12])
        #expect(!listing.isStopped(12))
        #expect(!listing.isStopped(13))
        #expect(listing.isStopped(14))
        #expect(!listing.isStopped(99))
    }

    @Test("The capability is read from the process's status", arguments: [("0000000000001000", true), ("0", false)])
    func capability(digits: String, may: Bool) throws {
        let processes = try Processes()
        let others = "Name:\tx\nCapInh:\tffffffffffffffff\nCapEff:\t0000000000000000\n"
        try processes.write("self/status", others + "CapPrm:\t\(digits)\n")
        #expect(processes.listing.mayUseAdapters == may)
        #expect(try Processes().listing.mayUseAdapters == nil)
    }

    @Test(
        "The service holds an adapter that is up; a program with an HCI socket comes before it; one that only monitors does not"
    )
    func holders() throws {
        let processes = try Processes()
        try processes.add(800, "bluetoothd", sockets: [501, 502])
        try processes.add(801, "btmon", sockets: [503])
        try processes.setSockets([501, 502, 503])
        var holders = AdapterHolders(processes.listing)
        #expect(holders.daemon?.number == 800)
        #expect(holders.programs.isEmpty)
        #expect(holders.unseenCount == 0)
        #expect(
            self.adapter(isUp: true).reasonsUnavailable(holders: holders, program: nil, mayUseAdapters: true)
                == [.system(ProcessInformation(number: 800, name: "bluetoothd"))]
        )
        #expect(
            self.adapter(isUp: false).reasonsUnavailable(holders: holders, program: nil, mayUseAdapters: true).isEmpty
        )

        try processes.add(900, "eightball", sockets: [504])
        try processes.setSockets([501, 502, 503, 504])
        holders = AdapterHolders(processes.listing)
        let program = ProcessInformation(number: 900, name: "eightball")
        #expect(holders.programs == [program])
        let reasons = self.adapter(isUp: true).reasonsUnavailable(holders: holders, program: nil, mayUseAdapters: true)
        #expect(reasons == [.program(program)])
        #expect(reasons.first?.commands == ["kill 900"])
    }

    @Test(
        "A program without a name holds an adapter; the service and those that only monitor do not",
        arguments: [
            (nil, true), ("eightball", true), ("bluetoothd", false), ("btmon", false), ("hcidump", false),
            ("hcitool", false), ("bluetoothctl", false), ("tshark", false), ("dumpcap", false),
        ]
    )
    func programs(name: String?, isHolder: Bool) throws {
        let processes = try Processes()
        try processes.add(900, name ?? "", sockets: [7])
        try processes.setSockets([7])
        let holders = AdapterHolders(processes.listing)
        #expect(holders.programs == (isHolder ? [ProcessInformation(number: 900, name: name)] : []))
        #expect(holders.unseenCount == 0)
    }

    @Test("Sockets of processes that cannot be looked at count, unless they are the service's")
    func unseen() throws {
        let processes = try Processes()
        try processes.setSockets([7])
        let holders = AdapterHolders(processes.listing)
        #expect(holders.unseenCount == 1)
        #expect(
            self.adapter(isUp: true).reasonsUnavailable(holders: holders, program: nil, mayUseAdapters: true) == [
                .program(nil)
            ]
        )
        try processes.add(800, "bluetoothd")
        #expect(AdapterHolders(processes.listing).unseenCount == 0)
    }

    @Test("The sockets of this process are no other program's, and seen all the same")
    func own() throws {
        let processes = try Processes()
        try processes.add(Int(getpid()), "tests", sockets: [7])
        try processes.add(901, "eightball", sockets: [8])
        try processes.setSockets([7, 8])
        let (owners, unseen) = processes.listing.ownersOfBluetoothSockets()
        #expect(owners == [ProcessInformation(number: 901, name: "eightball")] && unseen == 0)
    }

    @Test("A program is named for an adapter that the system cannot use, the service for one that it can")
    func managed() {
        let (service, program) = (
            ProcessInformation(number: 800, name: "bluetoothd"), ProcessInformation(number: 900, name: "eightball")
        )
        func holder(
            _ isUp: Bool?,
            _ isManaged: Bool,
            _ service: ProcessInformation?,
            _ programs: [ProcessInformation],
            unseen: Int = 0
        ) -> [AdapterUnavailable] {
            var holders = AdapterHolders()
            (holders.daemon, holders.programs, holders.unseenCount) = (service, programs, unseen)
            return self.adapter(isUp: isUp, isManaged: isManaged)
                .reasonsUnavailable(holders: holders, program: nil, mayUseAdapters: true)
        }
        #expect(holder(true, true, service, [program]) == [.system(service)])
        #expect(holder(nil, true, service, [program], unseen: 1) == [.system(service)])
        #expect(holder(true, true, nil, [program]) == [.system(nil)])
        // Nobody knows whether it is up, and there is no service that could use it.
        #expect(holder(nil, true, nil, []).isEmpty)
        #expect(holder(false, true, service, [program], unseen: 1).isEmpty)
        #expect(holder(true, false, service, [program]) == [.program(program)])
        // It is being powered up for its program.
        #expect(holder(false, false, service, [program]) == [.program(program)])
        #expect(holder(true, false, service, [], unseen: 1) == [.program(nil)])
        #expect(holder(true, false, service, []) == [.program(nil)])
        // It waits for its address or its firmware.
        #expect(holder(false, false, service, []).isEmpty)
        #if os(Linux)
        var holders = AdapterHolders()
        (holders.daemon, holders.programs) = (service, [program])
        for (isManaged, expected) in [(true, AdapterUnavailable.system(service)), (false, .program(program))] {
            let error = TransportError(
                openingAdapter: 0,
                .takeDown,
                errno: EBUSY,
                program: nil,
                holders: holders,
                isManaged: isManaged
            )
            #expect(error.message == expected.message(for: "hci0"))
        }
        let unseen = TransportError(openingAdapter: 0, .takeDown, errno: EBUSY, program: nil, isManaged: false)
        #expect(unseen.message == AdapterUnavailable.program(nil).message(for: "hci0"))
        #endif
    }

    @Test("The reasons come in the order in which they have to be removed, and each error has the text of the listing")
    func order() {
        let service = ProcessInformation(number: 800, name: "bluetoothd")
        var holders = AdapterHolders()
        holders.daemon = service
        let reasons = self.adapter(isUp: true, block: .byProgram)
            .reasonsUnavailable(holders: holders, program: "/opt/my ball", mayUseAdapters: false)
        #expect(reasons == [.switchedOff, .system(service), .noPermission(program: "/opt/my ball")])
        #expect(
            reasons.flatMap(\.commands) == [
                "rfkill unblock bluetooth", "bluetoothctl power off", "sudo systemctl stop bluetooth",
                "sudo setcap cap_net_admin,cap_net_raw+eip '/opt/my ball'",
            ]
        )
        #expect(AdapterUnavailable.switchedOffByHand.commands.isEmpty)
        #if os(Linux)
        let errors = [ERFKILL, EBUSY, EPERM].map { number in
            TransportError(openingAdapter: 0, .bind, errno: number, program: "/opt/my ball", holders: holders)
        }
        #expect(errors.map(\.message) == reasons.map { $0.message(for: "hci0") })
        for (error, reason) in zip(errors, reasons) {
            for command in reason.commands { #expect(error.message.contains(command), "\(error)") }
        }
        #endif
    }

    @Test("Every reason of every state of an adapter and of those who may have it")
    func walk() {
        let (daemon, program) = (
            ProcessInformation(number: 8, name: "bluetoothd"), ProcessInformation(number: 9, name: nil)
        )
        for isUp in [nil, true, false] {
            for isManaged in [nil, true, false] {
                for block in [AdapterListing.Block.none, .byProgram, .bySwitch] {
                    for bits in 0..<8 {
                        var holders = AdapterHolders()
                        holders.daemon = bits & 1 == 0 ? nil : daemon
                        holders.programs = bits & 2 == 0 ? [] : [program, daemon]
                        holders.unseenCount = bits & 4 == 0 ? 0 : 1
                        for mayUseAdapters in [nil, true, false] {
                            let adapter = self.adapter(isUp: isUp, isManaged: isManaged, block: block)
                            let reasons = adapter.reasonsUnavailable(
                                holders: holders,
                                program: bits & 1 == 0 ? nil : "/opt/it's",
                                mayUseAdapters: mayUseAdapters
                            )
                            let state = "\(isUp as Any) \(isManaged as Any) \(block) \(bits) \(mayUseAdapters as Any)"
                            RunRecord.note("\(state): \(reasons.map { "\($0.message(for: "hci0")) \($0.commands)" })")
                            #expect(reasons.isEmpty == false || block == .none && mayUseAdapters == true)
                        }
                    }
                }
            }
        }
        for octet in UInt8(1)...0x7F {
            let file = "a\(Unicode.Scalar(octet))b"
            RunRecord.note("\(shellQuoted(file)) \(PrivateFile.name(of: file))")
        }
        for file in ["", "é", "''", "a'b'c"] { RunRecord.note("\(shellQuoted(file)) \(PrivateFile.name(of: file))") }
    }

    @Test("What the kernel shows of processes, in lines of every form")
    func processLines() throws {
        for stat in ["", ")", "1 (a) T", "1 (a)T", "1 (a)   T 1", "1 (T) S", "1 (a", "1 (a) t", "1 a T"] {
            let processes = try Processes()
            try processes.write("5/stat", stat + "\n")
            RunRecord.note("\(stat): \(processes.listing.isStopped(5))")
        }
        for digits in ["0", "1000", "0000000000001000", "fff", "1fff", "2000", "x", "", " 1000", "11000", "800"] {
            let processes = try Processes()
            try processes.write("self/status", "Name:\tx\nCapPrm:\t\(digits)\n")
            RunRecord.note("\(digits): \(processes.listing.mayUseAdapters as Any)")
        }
        let maps = [
            "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libx.so.1", "7f00-7f01 r-xp 00000000 08:01 1 /opt/tsan/libx.so",
            "7f00-7f01 rw-p 00000000 00:00 0 [heap]", "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libx", "x.so", "",
        ]
        for line in maps {
            let processes = try Processes()
            try processes.write("self/maps", line + "\n")
            let found = ["/usr/lib", "/usr/lib/", "/usr/li", "/opt:/usr", ":", "", "/opt/tsan:", "lib"].map {
                processes.listing.usesLibraries(in: $0)
            }
            RunRecord.note("\(line): \(found)")
        }
        for rows in ["", "a b c d e 1 g\n", "a b c d e\n", "a b c d e 5\n", "a  b  c d e 6 g h\n\nx\n"] {
            let processes = try Processes()
            try processes.add(0, "zero", sockets: [1])
            try processes.add(3, "three", sockets: [1, 5])
            try processes.add(21, "twenty-one", sockets: [6, 6])
            try processes.write("net/hci", "sk RefCnt\n" + rows)
            let owners = processes.listing.ownersOfBluetoothSockets()
            RunRecord.note("\(rows): \(owners.processes) \(owners.unseen)")
        }
    }
}
