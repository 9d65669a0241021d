//! Names of standards, systems and libraries that macros of `mdoc` stand for.

/// The name of a standard by the argument of `.St`.
pub(super) fn standard(name: &str) -> Option<&'static str> {
    find(STANDARDS, name)
}

/// The name of a library by the argument of `.Lb`.
pub(super) fn library(name: &str) -> Option<&'static str> {
    find(LIBRARIES, name)
}

/// The name of a version of UNIX by the argument of `.At`.
pub(super) fn system(name: &str) -> Option<&'static str> {
    find(SYSTEMS, name)
}

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Names of `.St`, as `mandoc` has them.
const STANDARDS: &[(&str, &str)] = &[
    ("-ansiC", "ANSI X3.159-1989 (“ANSI C89”)"),
    ("-ansiC-89", "ANSI X3.159-1989 (“ANSI C89”)"),
    ("-ieee1275-94", "IEEE Std 1275-1994 (“Open Firmware”)"),
    ("-ieee754", "IEEE Std 754-1985"),
    ("-iso8601", "ISO 8601"),
    ("-iso8802-3", "ISO 8802-3: 1989"),
    ("-iso9945-1-90", "ISO/IEC 9945-1:1990 (“POSIX.1”)"),
    ("-iso9945-1-96", "ISO/IEC 9945-1:1996 (“POSIX.1”)"),
    ("-iso9945-2-93", "ISO/IEC 9945-2:1993 (“POSIX.2”)"),
    ("-isoC", "ISO/IEC 9899:1990 (“ISO C90”)"),
    ("-isoC-2011", "ISO/IEC 9899:2011 (“ISO C11”)"),
    ("-isoC-90", "ISO/IEC 9899:1990 (“ISO C90”)"),
    ("-isoC-99", "ISO/IEC 9899:1999 (“ISO C99”)"),
    ("-isoC-amd1", "ISO/IEC 9899/AMD1:1995 (“ISO C90, Amendment 1”)"),
    ("-isoC-tcor1", "ISO/IEC 9899/TCOR1:1994 (“ISO C90, Technical Corrigendum 1”)"),
    ("-isoC-tcor2", "ISO/IEC 9899/TCOR2:1995 (“ISO C90, Technical Corrigendum 2”)"),
    ("-p1003.1", "IEEE Std 1003.1 (“POSIX.1”)"),
    ("-p1003.1-2001", "IEEE Std 1003.1-2001 (“POSIX.1”)"),
    ("-p1003.1-2004", "IEEE Std 1003.1-2004 (“POSIX.1”)"),
    ("-p1003.1-2008", "IEEE Std 1003.1-2008 (“POSIX.1”)"),
    ("-p1003.1-88", "IEEE Std 1003.1-1988 (“POSIX.1”)"),
    ("-p1003.1-90", "IEEE Std 1003.1-1990 (“POSIX.1”)"),
    ("-p1003.1-96", "ISO/IEC 9945-1:1996 (“POSIX.1”)"),
    ("-p1003.1b", "IEEE Std 1003.1b (“POSIX.1b”)"),
    ("-p1003.1b-93", "IEEE Std 1003.1b-1993 (“POSIX.1b”)"),
    ("-p1003.1c-95", "IEEE Std 1003.1c-1995 (“POSIX.1c”)"),
    ("-p1003.1g-2000", "IEEE Std 1003.1g-2000 (“POSIX.1g”)"),
    ("-p1003.1i-95", "IEEE Std 1003.1i-1995 (“POSIX.1i”)"),
    ("-p1003.2", "IEEE Std 1003.2 (“POSIX.2”)"),
    ("-p1003.2-92", "IEEE Std 1003.2-1992 (“POSIX.2”)"),
    ("-p1003.2a-92", "IEEE Std 1003.2a-1992 (“POSIX.2”)"),
    ("-susv1", "Version 1 of the Single UNIX Specification (“SUSv1”)"),
    ("-susv2", "Version 2 of the Single UNIX Specification (“SUSv2”)"),
    ("-susv3", "Version 3 of the Single UNIX Specification (“SUSv3”)"),
    ("-susv4", "Version 4 of the Single UNIX Specification (“SUSv4”)"),
    ("-svid4", "System V Interface Definition, Fourth Edition (“SVID4”)"),
    ("-xbd5", "X/Open Base Definitions Issue 5 (“XBD5”)"),
    ("-xcu5", "X/Open Commands and Utilities Issue 5 (“XCU5”)"),
    ("-xcurses4.2", "X/Open Curses Issue 4, Version 2 (“XCURSES4.2”)"),
    ("-xns5", "X/Open Networking Services Issue 5 (“XNS5”)"),
    ("-xns5.2", "X/Open Networking Services Issue 5.2 (“XNS5.2”)"),
    ("-xpg3", "X/Open Portability Guide Issue 3 (“XPG3”)"),
    ("-xpg4", "X/Open Portability Guide Issue 4 (“XPG4”)"),
    ("-xpg4.2", "X/Open Portability Guide Issue 4, Version 2 (“XPG4.2”)"),
    ("-xsh4.2", "X/Open System Interfaces and Headers Issue 4, Version 2 (“XSH4.2”)"),
    ("-xsh5", "X/Open System Interfaces and Headers Issue 5 (“XSH5”)"),
];

/// Names of `.Lb`.
const LIBRARIES: &[(&str, &str)] = &[
    ("libarchive", "Streaming Archive Library (libarchive, -larchive)"),
    ("libarm", "ARM Architecture Library (libarm, -larm)"),
    ("libarm32", "ARM32 Architecture Library (libarm32, -larm32)"),
    ("libbluetooth", "Bluetooth Library (libbluetooth, -lbluetooth)"),
    ("libbsm", "Basic Security Module Library (libbsm, -lbsm)"),
    ("libc", "Standard C Library (libc, -lc)"),
    ("libc_r", "Reentrant C Library (libc_r, -lc_r)"),
    ("libcalendar", "Calendar Arithmetic Library (libcalendar, -lcalendar)"),
    ("libcam", "Common Access Method User Library (libcam, -lcam)"),
    ("libcdk", "Curses Development Kit Library (libcdk, -lcdk)"),
    ("libcipher", "FreeSec Crypt Library (libcipher, -lcipher)"),
    ("libcompat", "Compatibility Library (libcompat, -lcompat)"),
    ("libcrypt", "Crypt Library (libcrypt, -lcrypt)"),
    ("libcurses", "Curses Library (libcurses, -lcurses)"),
    ("libdevinfo", "Device and Resource Information Utility Library (libdevinfo, -ldevinfo)"),
    ("libdevstat", "Device Statistics Library (libdevstat, -ldevstat)"),
    ("libdisk", "Interface to Slice and Partition Labels Library (libdisk, -ldisk)"),
    ("libdwarf", "DWARF Access Library (libdwarf, -ldwarf)"),
    ("libedit", "Command Line Editor Library (libedit, -ledit)"),
    ("libelf", "ELF Access Library (libelf, -lelf)"),
    ("libevent", "Event Notification Library (libevent, -levent)"),
    ("libfetch", "File Transfer Library (libfetch, -lfetch)"),
    ("libform", "Curses Form Library (libform, -lform)"),
    ("libgeom", "Userland API Library for Kernel GEOM subsystem (libgeom, -lgeom)"),
    ("libi386", "i386 Architecture Library (libi386, -li386)"),
    ("libintl", "Internationalized Message Handling Library (libintl, -lintl)"),
    ("libipsec", "IPsec Policy Control Library (libipsec, -lipsec)"),
    ("libjail", "Jail Library (libjail, -ljail)"),
    ("libkiconv", "Kernel-side iconv Library (libkiconv, -lkiconv)"),
    ("libkse", "N:M Threading Library (libkse, -lkse)"),
    ("libkvm", "Kernel Data Access Library (libkvm, -lkvm)"),
    ("libm", "Math Library (libm, -lm)"),
    ("libm68k", "m68k Architecture Library (libm68k, -lm68k)"),
    ("libmagic", "Magic Number Recognition Library (libmagic, -lmagic)"),
    ("libmandoc", "Mandoc Macro Compiler Library (libmandoc, -lmandoc)"),
    ("libmd", "Message Digest (MD4, MD5, etc.) Support Library (libmd, -lmd)"),
    ("libmemstat", "Kernel Memory Allocator Statistics Library (libmemstat, -lmemstat)"),
    ("libmenu", "Curses Menu Library (libmenu, -lmenu)"),
    ("libnetgraph", "Netgraph User Library (libnetgraph, -lnetgraph)"),
    ("libossaudio", "OSS Audio Emulation Library (libossaudio, -lossaudio)"),
    ("libpam", "Pluggable Authentication Module Library (libpam, -lpam)"),
    ("libpcap", "Packet capture Library (libpcap, -lpcap)"),
    ("libpci", "PCI Bus Access Library (libpci, -lpci)"),
    ("libpmc", "Performance Counters Library (libpmc, -lpmc)"),
    ("libposix", "POSIX Compatibility Library (libposix, -lposix)"),
    ("libprop", "Property Container Object Library (libprop, -lprop)"),
    ("libpthread", "POSIX Threads Library (libpthread, -lpthread)"),
    ("libpuffs", "puffs Convenience Library (libpuffs, -lpuffs)"),
    ("librefuse", "File System in Userspace Convenience Library (librefuse, -lrefuse)"),
    ("libresolv", "DNS Resolver Library (libresolv, -lresolv)"),
    ("librpcsec_gss", "RPC GSS-API Authentication Library (librpcsec_gss, -lrpcsec_gss)"),
    ("librpcsvc", "RPC Service Library (librpcsvc, -lrpcsvc)"),
    ("librt", "POSIX Real-time Library (librt, -lrt)"),
    ("libsdp", "Bluetooth Service Discovery Protocol User Library (libsdp, -lsdp)"),
    ("libssp", "Buffer Overflow Protection Library (libssp, -lssp)"),
    ("libtermcap", "Termcap Access Library (libtermcap, -ltermcap)"),
    ("libterminfo", "Terminal Information Library (libterminfo, -lterminfo)"),
    ("libthr", "1:1 Threading Library (libthr, -lthr)"),
    ("libufs", "UFS File System Access Library (libufs, -lufs)"),
    ("libugidfw", "File System Firewall Interface Library (libugidfw, -lugidfw)"),
    ("libulog", "User Login Record Library (libulog, -lulog)"),
    ("libusbhid", "USB Human Interface Devices Library (libusbhid, -lusbhid)"),
    ("libutil", "System Utilities Library (libutil, -lutil)"),
    ("libvgl", "Video Graphics Library (libvgl, -lvgl)"),
    ("libx86_64", "x86_64 Architecture Library (libx86_64, -lx86_64)"),
    ("libz", "Compression Library (libz, -lz)"),
];

/// Names of `.At`.
const SYSTEMS: &[(&str, &str)] = &[
    ("v1", "Version 1 AT&T UNIX"),
    ("v2", "Version 2 AT&T UNIX"),
    ("v3", "Version 3 AT&T UNIX"),
    ("v4", "Version 4 AT&T UNIX"),
    ("v5", "Version 5 AT&T UNIX"),
    ("v6", "Version 6 AT&T UNIX"),
    ("v7", "Version 7 AT&T UNIX"),
    ("32v", "Version 7 AT&T UNIX/32V"),
    ("III", "AT&T System III UNIX"),
    ("V", "AT&T System V UNIX"),
    ("V.1", "AT&T System V Release 1 UNIX"),
    ("V.2", "AT&T System V Release 2 UNIX"),
    ("V.3", "AT&T System V Release 3 UNIX"),
    ("V.4", "AT&T System V Release 4 UNIX"),
];
