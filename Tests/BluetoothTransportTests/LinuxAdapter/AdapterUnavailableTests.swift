// Why an adapter is unavailable and which commands change that, on folders that look like the kernel's.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Unavailable adapters")
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

    @Test("reads processes, and the running one")
    func processes() throws {
        let processes = try Processes()
        #expect(processes.listing.ownProgram == nil && processes.listing.mayUseAdapters == nil)
        for number in [12, 7] { try processes.add(number, "eightball") }
        try processes.add(13, "a) T (b", state: "S")
        try processes.add(14, "x) S", state: "T")
        let listing = processes.listing
        #expect(listing.process(12).description == "eightball (process 12)")
        #expect(listing.process(99) == ProcessInformation(number: 99, name: nil))
        #expect(listing.process(99).description == "process 99")
        #expect(listing.processes(named: "eightball").map(\.number) == [7, 12])
        #expect(listing.processes(named: "ball").isEmpty)
        #expect([12, 13, 14, 99].map(listing.isStopped) == [false, false, true, false])
        try processes.write("self/comm", "tests\n")
        symlink("/opt/my ball", processes.folder("self/exe"))
        #expect(listing.ownProgram == "/opt/my ball")
    }

    @Test("the service uses an adapter that is up, unless a program has an HCI socket")
    func holders() throws {
        let processes = try Processes()
        try processes.add(800, "bluetoothd", sockets: [501, 502])
        try processes.setSockets([501, 502])
        func reasons(isUp: Bool) -> [AdapterUnavailable] {
            let holders = AdapterHolders(processes.listing)
            #expect(holders.daemon?.number == 800 && holders.unseenCount == 0)
            return self.adapter(isUp: isUp).reasonsUnavailable(holders: holders, program: nil, mayUseAdapters: true)
        }
        #expect(reasons(isUp: true) == [.system(ProcessInformation(number: 800, name: "bluetoothd"))])
        #expect(reasons(isUp: false).isEmpty)
        try processes.add(900, "eightball", sockets: [504])
        try processes.setSockets([501, 502, 504])
        #expect(reasons(isUp: true) == [.program(ProcessInformation(number: 900, name: "eightball"))])
        #expect(reasons(isUp: true).first?.commands == ["kill 900"])
    }

    @Test(
        "counts a program without a name, but not the service and those that only monitor",
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

    @Test("counts sockets of invisible processes, except the service's and our own")
    func unseen() throws {
        let processes = try Processes()
        try processes.setSockets([7])
        let holders = AdapterHolders(processes.listing)
        #expect(holders.unseenCount == 1)
        let reasons = self.adapter(isUp: true)
            .reasonsUnavailable(holders: holders, program: nil, mayUseAdapters: true)
        #expect(reasons == [.program(nil)])
        try processes.add(800, "bluetoothd")
        #expect(AdapterHolders(processes.listing).unseenCount == 0)
        try processes.add(Int(getpid()), "tests", sockets: [7])
        try processes.add(901, "eightball", sockets: [8])
        try processes.setSockets([7, 8])
        let (owners, unseen) = processes.listing.ownersOfBluetoothSockets()
        #expect(owners == [ProcessInformation(number: 901, name: "eightball")] && unseen == 0)
    }

    @Test("names a program for an adapter that the system cannot use, and the service for one that it can")
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
        // It is unknown whether it is up, and there is no service that could use it.
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

    @Test("lists the reasons in the order in which they have to be resolved, with the same text as each error")
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

    @Test("reads kernel files in every form")
    func processLines() throws {
        for (line, isStopped) in [
            ("", false), (")", false), ("1 (a) T", true), ("1 (T) S", false), ("1 (a", false), ("1 (a) t", false),
            ("1 a T", false),
        ] {
            let processes = try Processes()
            try processes.write("5/stat", line + "\n")
            #expect(processes.listing.isStopped(5) == isStopped, "\(line)")
        }
        for (digits, may) in [
            ("0", false), ("1000", true), ("fff", false), ("1fff", true), ("2000", false), ("x", nil), ("", nil),
            ("11000", true), ("800", false),
        ] as [(String, Bool?)] {
            let processes = try Processes()
            let others = "Name:\tx\nCapInh:\tffffffffffffffff\nCapEff:\t0000000000000000\n"
            try processes.write("self/status", others + "CapPrm:\t\(digits)\n")
            #expect(processes.listing.mayUseAdapters == may, "\(digits)")
        }
        let processes = try Processes()
        try processes.write("self/maps", "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libx.so.1\n")
        for (folders, isUsed) in [
            ("/usr/lib", true), ("/usr/lib/", true), ("/usr/li", false), ("/opt:/usr", true), (":", false), ("", false),
        ] {
            #expect(processes.listing.usesLibraries(in: folders) == isUsed, "\(folders)")
        }
    }

    @Test("attributes invisible sockets to other programs if those of the service are visible")
    func serviceIsSeen() throws {
        let processes = try Processes()
        try processes.add(800, "bluetoothd", sockets: [501])
        try processes.setSockets([501, 502, 503])
        var holders = AdapterHolders(processes.listing)
        #expect(holders.daemon?.number == 800 && holders.programs.isEmpty && holders.unseenCount == 2)
        // A program with visible sockets does not show whose the others are.
        let others = try Processes()
        try others.add(800, "bluetoothd")
        // An identifier above the kernel's limit, which this process cannot have.
        try others.add(9_000_000, "eightball", sockets: [502])
        try others.setSockets([501, 502])
        holders = AdapterHolders(others.listing)
        #expect(holders.daemon?.number == 800 && holders.programs.map(\.number) == [9_000_000])
        #expect(holders.unseenCount == 0)
    }

    @Test("names the service with the lower identifier, and sorts programs by their identifiers")
    func numbers() throws {
        let processes = try Processes()
        for number in [1_000, 90, 800] { try processes.add(number, "bluetoothd") }
        for (number, socket) in [(50_000_000, 1), (9_000_000, 2), (10_000_000, 3)] {
            try processes.add(number, "p\(socket)", sockets: [socket])
        }
        try processes.setSockets([1, 2, 3])
        let holders = AdapterHolders(processes.listing)
        #expect(holders.daemon?.number == 90)
        #expect(holders.programs.map(\.number) == [9_000_000, 10_000_000, 50_000_000])
    }

    @Test(
        "each failure names its cause and the command that fixes it, in one line",
        arguments: [
            (EAFNOSUPPORT, TransportError.Code.unsupported, "sudo modprobe bluetooth"),
            (EPROTONOSUPPORT, .unsupported, "sudo modprobe bluetooth"), (ENODEV, .notFound, "ls /sys/class/bluetooth"),
            (EPERM, .noPermission, "sudo setcap cap_net_admin,cap_net_raw+eip /opt/ball/eightball"),
            (EBUSY, .inUse, "use it as bluez:hci3"), (EBUSY, .inUse, "bluetoothctl power off"),
            (EBUSY, .inUse, "sudo systemctl stop bluetooth"),
            (EUSERS, .inUse, "another program has hci3"), (ERFKILL, .inUse, "rfkill unblock bluetooth"),
            (ETIMEDOUT, .timedOut, "does not answer"), (EIO, .failed, systemErrorText(EIO)),
        ]
    )
    func failures(number: CInt, code: TransportError.Code, mend: String) {
        let error = TransportError(openingAdapter: 3, .bind, errno: number, program: "/opt/ball/eightball")
        #expect(error.code == code)
        #expect(error.message.contains(mend), "\(error)")
        #expect(!error.message.contains("\n"))
    }

    @Test("the command that grants the capability is correct for any file name")
    func quoting() {
        let error = TransportError(openingAdapter: 0, .bind, errno: EPERM, program: "/home/o'neil/my ball")
        #expect(error.message.contains(#"+eip '/home/o'\''neil/my ball',"#))
        let unknown = TransportError(openingAdapter: 0, .bind, errno: EPERM, program: nil)
        #expect(unknown.message.contains("+eip PROGRAM"))
    }
}
